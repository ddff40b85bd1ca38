#!/usr/bin/env node
// Every history of placing one order (docs/testing.md): the real protocol, journal and recovery.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { transpile } from './transpile.mjs';

const options = process.argv.slice(2);
const unknown = options.find((option) => option !== '--json');
if (unknown !== undefined) {
  process.stderr.write(`sim:exhaustive: there is no option ${unknown}; --json is the only one\n`);
  process.exit(2);
}
const module = join(transpile(), 'test/simulation/exhaustive/all-histories.js');
const { allHistories, FULL_COUNT } = await import(pathToFileURL(module).href);
const census = allHistories(undefined, (histories) => {
  process.stderr.write(`sim:exhaustive: ${histories} of ${FULL_COUNT} histories\n`);
});
const { histories, violations, endings, mostRequests, first } = census;
if (options.includes('--json'))
  process.stdout.write(`${JSON.stringify({ histories, violations })}\n`);
else {
  process.stdout.write(`${histories} histories, ${violations} violations\n`);
  for (const [state, count] of Object.entries(endings))
    process.stdout.write(`  ${state}: ${count}\n`);
  process.stdout.write(`  at most ${mostRequests} requests for one intent\n`);
}
if (first !== undefined)
  process.stderr.write(`sim:exhaustive: ${first.text}\n  ${first.path.join('\n  ')}\n`);
if (histories !== FULL_COUNT)
  process.stderr.write(
    `sim:exhaustive: ${FULL_COUNT} histories are pinned, there are ${histories}\n`,
  );
process.exitCode = violations > 0 || histories !== FULL_COUNT ? 1 : 0;
