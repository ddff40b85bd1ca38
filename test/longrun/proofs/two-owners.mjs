// One owner: a folder in two PID namespaces, copied folders, a restored backup, copies in lockstep. Real
// daemons against a real sandbox, by the command line, files, HTTP and signals alone.
// Usage: npm run proof:owners [-- --runs 10] [--scene NAME] [--json] [--keep] [--without-namespaces]
import { writeFileSync } from 'node:fs';
import { option } from '../../../bench/sandbox-process.mjs';
import { copiedFolders, restoredBackup } from './two-owners/copy-scenarios.mjs';
import { killAll, UNSHARE } from './two-owners/daemon.mjs';
import { lockstep } from './two-owners/lockstep-scenario.mjs';
import { collidingNumbers, hostAndContainer } from './two-owners/namespace-scenarios.mjs';
import { openSetup } from './two-owners/setup.mjs';

const SCENARIOS = [
  { name: 'two namespaces, one folder', play: hostAndContainer, isContained: true },
  { name: 'the same, both process 1', play: collidingNumbers, isContained: true },
  { name: 'copied folders', play: copiedFolders },
  { name: 'a restored backup', play: restoredBackup },
  { name: 'copies in lockstep', play: lockstep, options: ['--clock', 'manual', '--no-limits'] },
];
const runs = option('runs', 10);
const json = process.argv.includes('--json');
const keep = process.argv.includes('--keep');
const withoutNamespaces = process.argv.includes('--without-namespaces');
const at = process.argv.indexOf('--scene');
const chosen = at < 0 ? '' : process.argv[at + 1];
const log = (text) => process.stderr.write(`owners: ${text}\n`);

let interrupted = false;
process.once('SIGINT', () => {
  interrupted = true;
  void killAll();
});

const scenes = SCENARIOS.filter(
  ({ name, isContained }) => name.includes(chosen) && !(isContained && withoutNamespaces),
);
if (!Number.isInteger(runs) || runs < 1) fail('--runs wants a whole number from 1', 2);
if (scenes.length === 0)
  fail(`no scene is called "${chosen}": ${SCENARIOS.map(({ name }) => name).join('; ')}`, 2);
if (UNSHARE === undefined && scenes.some(({ isContained }) => isContained))
  fail(
    '`unshare --pid` is not permitted here: run as root or in a machine that permits it, or give --without-namespaces',
  );

const table = [];
for (const scene of scenes) {
  if (interrupted) break;
  table.push(await playAll(scene));
}
const holds = table.length === scenes.length && table.every(({ held }) => held === runs);
print({ holds, runs, scenes: table });
process.exit(interrupted ? 130 : holds ? 0 : 1);

function fail(text, code = 1) {
  log(text);
  process.exit(code);
}

async function playAll({ name, play, options }) {
  const row = { scene: name, runs, held: 0, most: {}, violations: [] };
  for (let run = 1; run <= runs && !interrupted; run += 1) {
    const violation = await playOnce({ play, options }, run, row);
    if (violation === undefined) row.held += 1;
    else row.violations.push(`run ${run}: ${violation}`);
    log(
      `${name}: run ${run} of ${runs} ${violation === undefined ? 'holds' : `FAILS: ${violation}`}`,
    );
  }
  return row;
}

/** @returns why it does not hold */
async function playOnce({ play, options }, run, row) {
  const scenarioSetup = await openSetup(run, options);
  let violation;
  try {
    const figures = await play(scenarioSetup, run);
    for (const [key, value] of Object.entries(figures))
      row.most[key] = Math.max(row.most[key] ?? 0, Math.round(value * 10) / 10);
  } catch (error) {
    violation = `${error.message} (kept: ${scenarioSetup.folder})`;
  } finally {
    const said = await killAll();
    if (violation !== undefined || keep)
      said.forEach((text, at) => writeFileSync(scenarioSetup.pathOf(`daemon-${at + 1}.log`), text));
    await scenarioSetup.close(violation === undefined && !keep);
  }
  return violation;
}

function print(verdict) {
  if (json) console.log(JSON.stringify(verdict));
  else {
    for (const { scene, held, most } of verdict.scenes)
      console.log(`${scene.padEnd(28)} ${held} of ${runs} hold   at most ${JSON.stringify(most)}`);
    for (const { scene, violations } of verdict.scenes)
      for (const text of violations) console.log(`${scene}: ${text}`);
  }
}
