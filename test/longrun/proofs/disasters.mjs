// Scripted disasters against the real daemon and the real sandbox, each a process of its own, by the
// command line, files, HTTP and signals only. In each: the limits hold, stops stand, exits leave, and the
// return is clean: TRADING or a restriction that names its mend, reconciled, an exit code that agrees,
// and a replay that is identical.
// Usage: npm run proof:disasters [-- --scene NAME,NAME] [--money] [--jobs 2] [--json] [--keep]
//        [--without-mount] [--list] [--docs]
// `--docs` writes the table of docs/risk.md.
import { programOptions } from '../../../scripts/program-options.mjs';
import { writeTable } from './disasters/docs-table.mjs';
import { World } from './disasters/world.mjs';
import * as account from './disasters/scenes/account.mjs';
import * as machine from './disasters/scenes/machine.mjs';
import * as market from './disasters/scenes/market.mjs';
import * as outage from './disasters/scenes/outage.mjs';

const values = programOptions(import.meta.url, {
  scene: { type: 'string' },
  money: { type: 'boolean', default: false },
  jobs: { type: 'number', default: 2 },
  json: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  'without-mount': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  docs: { type: 'boolean', default: false },
});
const ALL = [market, outage, account, machine].flatMap((module) =>
  Object.values(module).filter(({ play }) => play !== undefined),
);
if (values.list) {
  console.log(JSON.stringify(ALL.map(({ name }) => name)));
  process.exit(0);
}
const names = values.scene?.split(',');
const unknown = (names ?? []).filter((name) => !ALL.some((each) => each.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `disasters: no scene ${unknown.join(', ')}; there are: ${ALL.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const scenes = ALL.filter(
  ({ name, money, options: { diskBytes } }) =>
    (names?.includes(name) ?? true) &&
    (money === true || !values.money) &&
    !(values['without-mount'] && diskBytes !== undefined),
);

async function play({ name, what, does, options, play: script }) {
  const faults = [];
  const check = (holds, text) => holds || faults.push(text);
  const startedAt = performance.now();
  let world;
  try {
    world = await World.open(options);
    await script(world, { check });
    faults.push(...(await world.cleanReturn()));
  } catch (error) {
    faults.push(error.message);
  }
  const holds = faults.length === 0;
  await world?.close(holds, values.keep);
  const result = {
    scene: name,
    what,
    does,
    detected_s: null,
    restriction: null,
    exit_s: null,
    back_s: null,
    ...world?.facts,
    naked_s: Math.round((world?.nakedMs ?? 0) / 100) / 10,
    took_s: Math.round((performance.now() - startedAt) / 1_000),
    verdict: holds ? 'holds' : 'FAILS',
    faults,
    ...(holds && !values.keep ? {} : { kept: world?.folder }),
  };
  process.stderr.write(`disasters: ${JSON.stringify({ ...result, does: undefined })}\n`);
  return result;
}

const waiting = [...scenes];
const results = [];
const work = async () => {
  for (let scene = waiting.shift(); scene !== undefined; scene = waiting.shift())
    results.push(await play(scene));
};
await Promise.all(Array.from({ length: values.jobs }, work));
const order = scenes.map(({ name }) => name);
results.sort((a, b) => order.indexOf(a.scene) - order.indexOf(b.scene));
if (values.docs) await writeTable(results);
if (values.json) console.log(JSON.stringify(results));
else print(results);
process.exit(results.every(({ verdict }) => verdict === 'holds') ? 0 : 1);

function print(rows) {
  const head = [
    'scene',
    'detected after s',
    'restriction',
    'exit out after s',
    'back after s',
    'verdict',
  ];
  const cells = rows.map((each) =>
    [each.scene, each.detected_s, each.restriction, each.exit_s, each.back_s, each.verdict].map(
      (value) => String(value ?? '–'),
    ),
  );
  const widths = head.map((text, at) =>
    Math.max(text.length, ...cells.map((row) => row[at].length)),
  );
  for (const row of [head, ...cells])
    console.log(row.map((text, at) => text.padEnd(widths[at])).join('  '));
}
