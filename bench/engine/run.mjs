// One fresh process of `npm run bench`: a row's backtest over the columns of the data, first and warm, beside the bare
// loop. Prints one JSON line. Usage: node bench/engine/run.mjs '{"args":[…],"rows":1000000,"warm":3,"loop":[10,50]}'
import { writeFileSync } from 'node:fs';
import { nodeCacheFiles } from '../../dist/src/io/node/cache/node-cache-files.js';
import { nodeClock } from '../../dist/src/io/node/node-clock.js';
import { nodeFiles } from '../../dist/src/io/node/node-files.js';
import { nodeFolders } from '../../dist/src/io/node/node-folders.js';
import { nodeRandom } from '../../dist/src/io/node/node-random.js';
import { nodeScheduler } from '../../dist/src/io/node/node-scheduler.js';
import { runBacktest } from '../../dist/src/backtest/run.js';
import { runCli } from '../../dist/src/cli/main.js';
import { planBacktest } from '../../dist/src/cli/commands/backtest/backtest-plan.js';
import { fixedFromText, textFromFixed } from '../../dist/src/core/fixed/fixed.js';
import { strategyInstanceOf } from '../../dist/src/live/strategies/strategy-instances.js';
import { loadStrategy } from '../../dist/src/strategy/loader/loader.js';
import { bareLoop } from './bare-loop.mjs';

const job = JSON.parse(process.argv[2]);
const io = {
  stdout: () => undefined,
  stderr: (text) => process.stderr.write(text),
  ...{ isTerminal: false, env: process.env, onSignal: () => () => undefined, clock: nodeClock },
  ...{ scheduler: nodeScheduler, random: nodeRandom, files: nodeFiles, folders: nodeFolders },
  ...{ cacheFiles: nodeCacheFiles, version: 'bench' },
};

/** @returns the value of `work`, and ns of the wall clock and of the processor for each of `count` */
function timed(count, work) {
  const cpuFrom = process.cpuUsage();
  const from = performance.now();
  const value = work();
  const wall = ((performance.now() - from) * 1e6) / count;
  const { user, system } = process.cpuUsage(cpuFrom);
  return { value, ns: { wall, cpu: ((user + system) * 1_000) / count } };
}

const least = (times) => ({
  wall: Math.min(...times.map(({ wall }) => wall)),
  cpu: Math.min(...times.map(({ cpu }) => cpu)),
});

/** A plan is of one run: its gate counts. */
async function planOf(options) {
  const { plan } = await planBacktest(options, io, undefined);
  if (job.symbols === undefined) {
    const columns = plan.columns.within(-Infinity, plan.columns.openTime[job.rows] ?? Infinity);
    return { ...plan, columns };
  }
  const columns = plan.columns.within(-Infinity, plan.columns.openTime[job.rows] ?? Infinity);
  const symbols = Array.from({ length: job.symbols }, (_, index) => `S${index}USDT`);
  const markets = symbols.map((symbol) => ({
    instrument: { ...plan.instrument, symbol },
    maintenanceRate: plan.maintenanceRate,
    columns,
  }));
  const definition = await loadStrategy('sma-cross', { configDir: process.cwd() });
  const strategies = symbols.map((symbol) =>
    strategyInstanceOf({
      config: {
        ...{ id: symbol, use: 'sma-cross', symbols: [symbol], interval: '1m', params: {} },
        ...{
          size: options.size,
          leverage: fixedFromText('1'),
          protect: {},
          entry: { kind: 'market' },
        },
      },
      ...{ definition, params: { fast: 500, slow: 2_500 } },
    }),
  );
  return { ...plan, ...markets[0], others: markets.slice(1), strategies };
}

async function measure(options) {
  let plan = await planOf(options);
  const { columns } = plan;
  const { open, close, length } = columns;
  const loopOf = () => bareLoop({ open, close, length }, ...job.loop, job.fee);
  const loop = { first: timed(length, loopOf) };
  loop.warm = least(Array.from({ length: 10 }, () => timed(length, loopOf).ns));
  if (job.columnsTo !== undefined)
    writeFileSync(
      job.columnsTo,
      Buffer.concat(
        [open, close].map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength)),
      ),
    );
  const bars = length * (1 + (plan.others?.length ?? 0));
  const first = timed(bars, () => runBacktest(plan));
  const { fills, finalEquity, engine } = first.value;
  const halted = engine.haltReason;
  if (halted !== undefined) throw new Error(`the run was halted: ${halted}`);
  const warm = [];
  for (let run = 0; run < job.warm; run += 1) {
    plan = await planOf(options);
    warm.push(timed(bars, () => runBacktest(plan)).ns);
  }
  process.stdout.write(
    `${JSON.stringify({
      bars,
      fills: fills.length,
      refused: engine.counts.refused,
      equity: textFromFixed(finalEquity),
      ...{ first: first.ns, warm: warm.length === 0 ? null : least(warm) },
      loop: { first: loop.first.ns, warm: loop.warm, equity: loop.first.value },
    })}\n`,
  );
}

process.exitCode = await runCli(['backtest', ...job.args], {
  ...io,
  backtestThread: async (options) => {
    await measure(options);
    return 0;
  },
});
