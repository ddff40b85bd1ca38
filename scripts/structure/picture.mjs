// Draws the modules of src/ and their imports as SVG: a module stands above everything that it imports.

const BOX = { width: 150, height: 34 };
const GAP = { y: 46 };
const MARGIN = 24;
const WIDTH = 860;

const GROUPS = [
  {
    title: 'program',
    fill: '#fde7c8',
    stroke: '#c77d0a',
    modules: ['cli', 'tools', 'metrics', 'live', 'notify', 'config'],
  },
  {
    title: 'decisions',
    fill: '#d7f0dd',
    stroke: '#2e8b4e',
    modules: ['strategy', 'risk', 'execution', 'engine'],
  },
  {
    title: 'venue side',
    fill: '#dbe8fb',
    stroke: '#3468b2',
    modules: ['venue', 'venue/futures-api', 'venue/paper', 'exchange', 'sandbox'],
  },
  {
    title: 'history',
    fill: '#efe0f7',
    stroke: '#8246a8',
    modules: ['market', 'catalog', 'backtest', 'analysis', 'testing', 'report'],
  },
  {
    title: 'foundation',
    fill: '#ececec',
    stroke: '#6b6b6b',
    modules: ['core', 'io/net', 'io/log', 'io/node'],
  },
];

/** @param arrows module → imported modules, without circles */
export function pictureOf(arrows) {
  const rows = rowsOf(arrows);
  const places = new Map(rows.flatMap(placed));
  const height = 2 * MARGIN + rows.length * (BOX.height + GAP.y) - GAP.y + 44;
  const edges = [...directArrows(arrows)].flatMap(([from, targets]) =>
    targets.map((to) => edge(places.get(from), places.get(to), groupOf(from).stroke)),
  );
  const boxes = [...places].map(([name, place]) => box(name, place));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="14">`,
    '<title>The modules of Sluice: each imports only modules below it</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#777777"/></marker></defs>',
    ...edges,
    ...boxes,
    ...legend(height - 26),
    '</svg>',
    '',
  ].join('\n');
}

/** Rows from the top down: a module is one row below the lowest that imports it. */
function rowsOf(arrows) {
  const importers = (name) =>
    [...arrows].filter(([, to]) => to.includes(name)).map(([from]) => from);
  const depths = new Map();
  const depthOf = (name) => {
    if (!depths.has(name)) {
      depths.set(name, Math.max(0, ...importers(name).map((from) => depthOf(from) + 1)));
    }
    return depths.get(name);
  };
  const rows = [];
  for (const name of arrows.keys()) (rows[depthOf(name)] ??= []).push(name);
  return rows.map((row) => row.sort((a, b) => columnOf(a) - columnOf(b)));
}

/** Left to right: modules of a group stand below each other. */
const columnOf = (name) => GROUPS.findIndex(({ modules }) => modules.includes(name));

function placed(row, line) {
  const step = WIDTH / row.length;
  return row.map((name, column) => [
    name,
    { x: step * (column + 0.5) - BOX.width / 2, y: MARGIN + line * (BOX.height + GAP.y) },
  ]);
}

/** Without the arrows that follow from others. */
function directArrows(arrows) {
  const reachable = new Map();
  const reach = (name) => {
    if (!reachable.has(name)) {
      const targets = arrows.get(name) ?? [];
      reachable.set(name, new Set(targets.flatMap((target) => [target, ...reach(target)])));
    }
    return reachable.get(name);
  };
  return new Map(
    [...arrows].map(([name, targets]) => [
      name,
      targets.filter((to) => !targets.some((other) => other !== to && reach(other).has(to))),
    ]),
  );
}

function edge(from, to, stroke) {
  const [x1, y1] = [from.x + BOX.width / 2, from.y + BOX.height];
  const [x2, y2] = [to.x + BOX.width / 2, to.y - 2];
  const bend = Math.max(24, (y2 - y1) / 2);
  return `<path d="M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}" fill="none" stroke="${stroke}" stroke-opacity="0.55" marker-end="url(#tip)"/>`;
}

function box(name, { x, y }) {
  const { fill, stroke } = groupOf(name);
  return (
    `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6" fill="${fill}" stroke="${stroke}"/>` +
    `<text x="${x + BOX.width / 2}" y="${y + 22}" text-anchor="middle" fill="#1c1c1c">${name}</text>`
  );
}

function legend(y) {
  return GROUPS.flatMap(({ title, fill, stroke }, index) => {
    const x = MARGIN + 40 + index * 160;
    return [
      `<rect x="${x}" y="${y}" width="14" height="14" rx="3" fill="${fill}" stroke="${stroke}"/>`,
      `<text x="${x + 20}" y="${y + 12}" fill="#444444" font-size="12">${title}</text>`,
    ];
  });
}

function groupOf(name) {
  const group = GROUPS.find(({ modules }) => modules.includes(name));
  if (group === undefined) throw new Error(`${name} has no group in scripts/structure/picture.mjs`);
  return group;
}
