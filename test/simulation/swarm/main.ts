import { BRANCHES } from './branches.js';
import type { SeedReduction } from './plan.js';
import type { Task } from './pool.js';
import { runSeed, type SeedResult } from './run-seed.js';

/** A run that gives two traces is as wrong as one that loses an order. */
async function runTask({ seed, reduction = {}, twice = false }: Task): Promise<SeedResult> {
  const result = await runSeed(seed, { reduction });
  if (!twice || result.violation !== undefined) return result;
  const again = await runSeed(seed, { reduction });
  if (again.hash === result.hash) return result;
  const text = `two runs, two traces: ${result.hash} and ${again.hash}`;
  return { ...result, violation: { check: 'P19', text, at: 0 } };
}

/** A worker of `scripts/sim.mjs`: seeds come in, results go out, one at a time. */
function serve(send: (message: unknown) => void): void {
  process.on('message', (task: Task) => {
    void runTask(task).then(send);
  });
  send({ ready: true, branches: BRANCHES.map(({ name }) => name) });
}

/** Seeds in order in this process, up to the first violation. */
async function walk(args: readonly string[]): Promise<void> {
  const value = (name: string): string | undefined => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? undefined : args[at + 1];
  };
  const from = Number(value('seed') ?? value('from') ?? 1);
  const seeds = Number(value('seeds') ?? 1);
  const without = value('without')?.split(',');
  const minutes = value('minutes');
  const reduction: SeedReduction = {
    ...(without !== undefined && { without }),
    ...(minutes !== undefined && { minutes: Number(minutes) }),
  };
  const trace = (line: string): void => {
    process.stderr.write(`${line.slice(0, LONGEST_LINE)}\n`);
  };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const result = await runSeed(seed, { reduction, ...(args.includes('--trace') && { trace }) });
    const { violation, hash } = result;
    if (args.includes('--hash')) process.stdout.write(`${seed} ${hash}\n`);
    if (args.includes('--all')) process.stdout.write(`${JSON.stringify(result)}\n`);
    else if (violation !== undefined) {
      process.stdout.write(`${JSON.stringify({ seed, violation })}\n`);
      process.exitCode = 1;
      return;
    }
  }
}

const LONGEST_LINE = 60_000;
const send = process.send?.bind(process);
if (process.argv.includes('--worker') && send !== undefined) serve(send);
else await walk(process.argv.slice(2));
