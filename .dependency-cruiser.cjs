/**
 * The layers of src/, from the lowest up: a module imports the modules of lower layers only,
 * never a neighbour of its layer and never upward (docs/architecture.md).
 */
const LAYERS = [
  ['core'],
  ['io/net', 'io/log', 'io/node'],
  ['venue-port'],
  ['market', 'exchange', 'venue/futures-api'],
  ['venue/paper'],
  ['strategy'],
  ['risk'],
  ['execution'],
  ['engine'],
  ['sandbox', 'report', 'catalog'],
  ['backtest'],
  ['analysis'],
  ['testing'],
  ['config'],
  ['notify'],
  ['live'],
  ['metrics'],
  ['tools'],
  ['cli'],
];
const VENUE_PORT = '^src/venue/[^/]+\\.ts$';
const MODULES = LAYERS.flat();

/** The files of a module; the port is the files beside the folders of its adapters. */
const pathOf = (name) => (name === 'venue-port' ? VENUE_PORT : `^src/${name}/`);

/** The contract, by its package name: it leads to its source here, and into lib/ elsewhere. */
const CONTRACT = '^(sluice/strategy|src/strategy/index\\.ts|lib/src/strategy/index\\.(d\\.ts|js))$';

/** Tests may import any module. */
const TESTS = '\\.test\\.ts$';

const arrows = LAYERS.flatMap((layer, index) =>
  layer.map((name) => ({
    name: `${name.replace('/', '-')}-imports-downward`,
    comment: `src/${name} imports a module that is not below it`,
    severity: 'error',
    from: { path: pathOf(name), pathNot: TESTS },
    to: {
      path: '^(src|strategies)/',
      pathNot: [name, ...LAYERS.slice(0, index).flat()].map(pathOf),
    },
  })),
);

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'every-module-is-known',
      comment: 'a file of src/ belongs to a module that has no layer here',
      severity: 'error',
      from: { path: '^src/', pathNot: [...MODULES.map(pathOf), TESTS] },
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
      comment: 'the implementation of the venue port is chosen by sandbox, backtest and live',
      severity: 'error',
      from: { path: '^src/(strategy|risk|execution|engine)/', pathNot: TESTS },
      to: { path: '^src/(venue/futures-api|venue/paper|exchange)/' },
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
      comment: 'a backtest does not load the code that runs strategies on threads',
      severity: 'error',
      from: { path: '^src/cli/commands/(backtest/backtest|replay/replay)-command\\.ts$' },
      to: { path: '^src/strategy/isolation/strategy-worker\\.ts$', reachable: true },
    },
    {
      name: 'node-is-injected',
      comment: 'ports on Node are handed in by live, tools and cli',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(io/node|live|tools|cli)/', TESTS] },
      to: { path: '^src/io/node/' },
    },
    {
      name: 'tools-know-no-other-tool',
      comment: 'each tool stands alone',
      severity: 'error',
      from: { path: '^src/tools/([^/]+)/', pathNot: TESTS },
      to: { path: '^src/tools/', pathNot: '^src/tools/$1/' },
    },
    {
      name: 'pages-see-their-data-only',
      comment:
        'a page runs in a browser: it knows the shape of its data and how figures are written',
      severity: 'error',
      from: { path: '^pages/', pathNot: TESTS },
      to: {
        path: '^(src|strategies)/',
        pathNot: '^src/report/(page/(page|comparison)-data|figure-format)\\.ts$',
      },
    },
    {
      name: 'no-page-inside',
      comment: 'pages are built into lib/pages/ and read there',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { path: '^pages/' },
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
