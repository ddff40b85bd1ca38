import { Session } from 'node:inspector';
import { runBacktest } from '../../backtest/run.js';
import { simulationPlan } from '../../backtest/simulate.js';
import { overheard } from '../../backtest/test-tape.js';
import type { Candle } from '../../core/candle.js';
import { isStrategyCode } from './code-place.js';
import type { Finding } from './finding.js';
import { hostileCandles } from './hostile-candles.js';
import type { ExamOptions } from './strategy-exam.js';
import { fileURLToPath } from 'node:url';

const STAGE_CANDLES = 25_000;
const STAGES = 4;
/** The quiet part of the hostile candles, over and over. */
const QUIET = 250;
const MINUTE_MS = 60_000;
/** Kept for good, per candle: less is the noise of the engine that runs it. */
const MOST_BYTES_PER_CANDLE = 5;
/** And no less than this while the run doubles, twice: a single jump is a table that was made once. */
const LEAST_BYTES_PER_CANDLE = 2;
const SAMPLE_BYTES = 4_096;

/**
 * Whether a strategy keeps more and more: the heap, with everything collected that can be, after each
 * of four stretches of 25,000 candles. Nothing is ordered, so that nothing but the strategy can grow.
 * A list makes room in jumps of a half of itself: of 8 bytes a candle, at least 6.6 are seen from the
 * first stretch to the fourth and 4 while the run doubles. What V8 lets go of its own is about 100 kB.
 * @param collect Node's `gc`
 */
export function examineMemory(options: ExamOptions, collect: () => void): readonly Finding[] {
  const heap: number[] = [];
  let count = 0;
  const measured = (): void => {
    count += 1;
    options.pulse?.beat();
    if (count % (STAGE_CANDLES * options.symbols.length) !== 0) return;
    collect();
    heap.push(process.memoryUsage().heapUsed);
  };
  const plan = simulationPlan(
    {
      strategy: options.definition,
      candles: longCandles(options.symbols),
      params: options.params,
      interval: options.interval,
      candleInterval: '1m',
      size: { notional: '1000' },
      protect: { stop_loss_pct: 5 },
    },
    {
      over: (world) => overheard(world, { submit: () => 'refused', note: () => undefined }),
      at: (host) => host,
      watch: { candle: measured, asked: () => undefined, done: () => undefined },
    },
  );
  const run = (): unknown => runBacktest(plan);
  const where = heapSites(() => options.pulse?.watching(run) ?? run());
  if (heap.length < STAGES) return [];
  const perCandle = (from: number, to: number): number =>
    ((heap[to - 1] ?? 0) - (heap[from - 1] ?? 0)) / (STAGE_CANDLES * (to - from));
  const grown = perCandle(1, STAGES);
  const leastDoubled = Math.min(perCandle(1, 2), perCandle(2, 4));
  if (grown < MOST_BYTES_PER_CANDLE || leastDoubled < LEAST_BYTES_PER_CANDLE) return [];
  return [
    {
      place: where ?? options.file,
      message: `its memory grows by about ${Math.round(grown)} bytes with each candle and is never let go`,
      hint: 'keep what the longest look-back needs: a year of minutes is 525,600 candles',
    },
  ];
}

function longCandles(symbols: readonly string[]): Readonly<Record<string, readonly Candle[]>> {
  const short = hostileCandles(symbols);
  const startMs = Date.UTC(2025, 0, 1);
  return Object.fromEntries(
    Object.entries(short).map(([symbol, candles]) => [
      symbol,
      Array.from({ length: STAGE_CANDLES * STAGES }, (_, index) => ({
        ...(candles[index % QUIET] as Candle),
        openTime: startMs + index * MINUTE_MS,
      })),
    ]),
  );
}

interface SampleNode {
  readonly callFrame: { readonly url: string; readonly lineNumber: number };
  readonly selfSize: number;
  readonly children: readonly SampleNode[];
}

/** The strategy's function that holds most of what a run leaves on the heap. */
function heapSites(run: () => void): string | undefined {
  const session = new Session();
  session.connect();
  let best: { readonly place: string; readonly bytes: number } | undefined;
  const visit = ({ callFrame, selfSize, children }: SampleNode): void => {
    const file = callFrame.url.startsWith('file://') ? fileURLToPath(callFrame.url) : callFrame.url;
    const place = { file, line: callFrame.lineNumber + 1 };
    if (file.startsWith('/') && isStrategyCode(place) && selfSize > (best?.bytes ?? 0))
      best = { place: `${file}:${place.line}`, bytes: selfSize };
    children.forEach(visit);
  };
  session.post('HeapProfiler.startSampling', { samplingInterval: SAMPLE_BYTES });
  run();
  session.post('HeapProfiler.stopSampling', (error, result) => {
    if (error === null) visit((result as { profile: { head: SampleNode } }).profile.head);
  });
  session.disconnect();
  return best?.place;
}
