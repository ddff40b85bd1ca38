/**
 * The floors of src/, from the ground up: a room may import the rooms of the floors below its own,
 * never a neighbour and never upward (docs/architecture.md).
 */
const FLOORS = [
  ['core'],
  ['transport'],
  ['venue-port'],
  ['venue/futures-api', 'exchange', 'market'],
  ['strategy'],
  ['risk'],
  ['execution'],
  ['engine'],
  ['sandbox', 'report'],
  ['backtest'],
  ['app'],
];
const VENUE_PORT = '^src/venue/venue\\.ts$';
const ROOMS = FLOORS.flat();

/** Where a room's files are; the port is one file, apart from the adapters beside it. */
const pathOf = (name) => (name === 'venue-port' ? VENUE_PORT : `^src/${name}/`);

/** The contract, by its package name: it leads to its source here, and into lib/ elsewhere. */
const CONTRACT = '^(sluice/strategy|src/strategy/index\\.ts|lib/src/strategy/index\\.(d\\.ts|js))$';

/** Tests may reach for any room: they are not part of the building. */
const TESTS = '\\.test\\.ts$';

const arrows = FLOORS.flatMap((floor, index) =>
  floor.map((name) => ({
    name: `${name.replace('/', '-')}-imports-downward`,
    comment: `src/${name} imports a room that is not below it`,
    severity: 'error',
    from: { path: pathOf(name), pathNot: TESTS },
    to: {
      path: '^(src|strategies)/',
      pathNot: [name, ...FLOORS.slice(0, index).flat()].map(pathOf),
    },
  })),
);

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'every-room-is-known',
      comment: 'a file of src/ stands in a room that has no floor here',
      severity: 'error',
      from: { path: '^src/', pathNot: [...ROOMS.map(pathOf), TESTS] },
      to: {},
    },
    {
      name: 'two-readings-of-the-interface',
      comment:
        'client and exchange read the interface apart: one misreading must not pass both sides',
      severity: 'error',
      from: { path: '^src/(sandbox|exchange)/', pathNot: TESTS },
      to: { path: '^src/venue/futures-api/' },
    },
    {
      name: 'two-readings-of-the-interface-2',
      comment:
        'client and exchange read the interface apart: one misreading must not pass both sides',
      severity: 'error',
      from: { path: '^src/venue/futures-api/', pathNot: TESTS },
      to: { path: '^src/(sandbox|exchange)/' },
    },
    {
      name: 'decisions-know-no-venue',
      comment: 'who stands behind the venue port is picked by sandbox, backtest and app',
      severity: 'error',
      from: { path: '^src/(strategy|risk|execution|engine)/', pathNot: TESTS },
      to: { path: '^src/(venue/futures-api|exchange)/' },
    },
    {
      name: 'strategies-see-their-contract-only',
      comment: "a strategy imports 'sluice/strategy' (zod comes with it), rxjs and its own files",
      severity: 'error',
      from: { path: '^strategies/', pathNot: TESTS },
      to: {
        path: '.',
        pathNot: ['^strategies/', CONTRACT, 'node_modules/rxjs/', '^rxjs'],
      },
    },
    {
      name: 'no-strategy-inside',
      comment: 'shipped strategies are found by the loader, not imported',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { path: '^strategies/' },
    },
    {
      name: 'backtests-know-no-threads',
      comment: 'what runs strategies on threads costs a backtest nothing, not even its loading',
      severity: 'error',
      from: { path: '^src/app/(backtest|replay)-command\\.ts$' },
      to: { path: '^src/app/ports/strategy-worker\\.ts$', reachable: true },
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      comment: 'the import leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: CONTRACT },
    },
    {
      name: 'no-development-package-at-run-time',
      severity: 'error',
      from: { path: '^(src|strategies)/', pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/', '^lib/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    // An import that types alone need is an arrow too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
