import { Session } from 'node:inspector';
import { runBacktest } from '../../backtest/run.js';
import { simulationPlan } from '../../testing/simulation-plan.js';
import { intercept } from '../../testing/simulation-recorder.js';
import type { Candle } from '../../core/candle.js';
import { isStrategyCode } from '../../strategy/isolation/stack-location.js';
import type { Finding } from './finding.js';
import { stressCandles } from './stress-candles.js';
import type { StrategyCheckOptions } from './strategy-check.js';
import { fileURLToPath } from 'node:url';

const PHASE_CANDLES = 25_000;
const PHASES = 4;
/** The quiet part of the stress candles, repeated. */
const QUIET_CANDLES = 250;
const MINUTE_MS = 60_000;
/** Retained bytes per candle; less is noise of the engine. */
const MAX_BYTES_PER_CANDLE = 5;
/** Smallest growth per candle in each doubling of the run; a single jump is a table allocated once. */
const MIN_BYTES_PER_CANDLE = 2;
const SAMPLE_BYTES = 4_096;

/**
 * Detects a strategy that retains more and more memory: measures the heap after a garbage collection at
 * the end of each of four phases of 25,000 candles. All orders are refused, so only the strategy can grow.
 * An array grows by half of its size at once: of 8 bytes a candle, at least 6.6 show between the first
 * and the fourth phase, and 4 in each doubling. V8 itself frees about 100 kB.
 * @param collect Node's `gc`
 */
export function checkMemory(
  options: StrategyCheckOptions,
  collect: () => void,
): readonly Finding[] {
  const heap: number[] = [];
  let count = 0;
  const measure = (): void => {
    count += 1;
    options.heartbeat?.beat();
    if (count % (PHASE_CANDLES * options.symbols.length) !== 0) return;
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
      wrapPort: (port) => intercept(port, { submit: () => 'refused', note: () => undefined }),
      wrapHost: (host) => host,
      observer: { onCandle: measure, onIntent: () => undefined, onCandleHandled: () => undefined },
    },
  );
  const run = (): unknown => runBacktest(plan);
  const location = largestAllocationSite(() => options.heartbeat?.monitored(run) ?? run());
  if (heap.length < PHASES) return [];
  const perCandle = (from: number, to: number): number =>
    ((heap[to - 1] ?? 0) - (heap[from - 1] ?? 0)) / (PHASE_CANDLES * (to - from));
  const growth = perCandle(1, PHASES);
  const leastDoubled = Math.min(perCandle(1, 2), perCandle(2, 4));
  if (growth < MAX_BYTES_PER_CANDLE || leastDoubled < MIN_BYTES_PER_CANDLE) return [];
  return [
    {
      place: location ?? options.file,
      message: `its memory grows by about ${Math.round(growth)} bytes with each candle and is never freed`,
      hint: 'store only what the longest look-back needs: a year of 1m candles is 525,600',
    },
  ];
}

function longCandles(symbols: readonly string[]): Readonly<Record<string, readonly Candle[]>> {
  const short = stressCandles(symbols);
  const startMs = Date.UTC(2025, 0, 1);
  return Object.fromEntries(
    Object.entries(short).map(([symbol, candles]) => [
      symbol,
      Array.from({ length: PHASE_CANDLES * PHASES }, (_, index) => ({
        ...(candles[index % QUIET_CANDLES] as Candle),
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

/** The strategy's function that allocated most of what a run leaves on the heap. */
function largestAllocationSite(run: () => void): string | undefined {
  const session = new Session();
  session.connect();
  let best: { readonly place: string; readonly bytes: number } | undefined;
  const visit = ({ callFrame, selfSize, children }: SampleNode): void => {
    const file = callFrame.url.startsWith('file://') ? fileURLToPath(callFrame.url) : callFrame.url;
    const location = { file, line: callFrame.lineNumber + 1 };
    if (file.startsWith('/') && isStrategyCode(location) && selfSize > (best?.bytes ?? 0))
      best = { place: `${file}:${location.line}`, bytes: selfSize };
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
