import { join } from 'node:path';
import type { Coverage, DataCatalog } from '../../catalog/catalog.js';
import type { CandleDataset } from '../../catalog/dataset.js';
import { downloadCommand } from '../../catalog/repair-command.js';
import { UsageError } from '../../core/command-errors.js';
import type { Interval } from '../../core/interval.js';
import type { Clock, Files, Logger, Net, Random, Scheduler } from '../../core/ports.js';
import { formatCount } from '../../report/figure-format.js';
import { DEFAULT_API_LIMITS } from '../../venue/futures-api/http/api-limits.js';
import { aggregationOf } from '../../venue/futures-api/wire/wire-market.js';
import { CandleDownload, type DownloadProgress, type DownloadResult } from './candle-download.js';
import { openDownloadApi } from './download-api.js';
import { planCalls, wholeCandles, type DownloadCall } from './download-plan.js';

export interface DownloadRequest {
  readonly baseUrl: string;
  readonly symbols: readonly string[];
  readonly kind: CandleDataset['kind'];
  readonly interval: Interval;
  /** ms UTC, inclusive. */
  readonly fromMs: number;
  /** ms UTC, exclusive. Absent: now. */
  readonly toMs?: number;
  readonly overwrite: boolean;
  /** Calls a minute. */
  readonly rate: number;
}

export interface DownloadPorts {
  readonly net: Net;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly files: Files;
  readonly logger: Logger;
}

export interface DownloadWatcher {
  readonly onProgress: (progress: DownloadProgress) => void;
  readonly onNote: (text: string) => void;
  /** Takes the function that stops the download. @returns a function that forgets it */
  readonly onStop: (stop: () => void) => () => void;
}

export interface FinishedDownload extends DownloadResult {
  readonly plannedCalls: number;
  readonly seconds: number;
}

/**
 * Downloads what the catalogue lacks of a range.
 * @throws UsageError for an empty range, or an interval that the venue does not have; errors of `CandleDownload.run`
 */
export async function runDownload(
  request: DownloadRequest,
  catalog: DataCatalog,
  ports: DownloadPorts,
  { onProgress, onNote, onStop }: DownloadWatcher,
): Promise<FinishedDownload> {
  const { clock } = ports;
  const startedAt = clock.monotonicMs();
  const calls = await callsOf(request, catalog, clock);
  const { baseUrl, rate } = request;
  const stateDir = join(catalog.folder, 'download');
  const { api, nowMs, pauseMs } = await openDownloadApi({ ...ports, baseUrl, rate, stateDir });
  const resumeCommand = commandOf(request, catalog, calls);
  const download = new CandleDownload({
    ...{ ...request, ...ports, catalog, api, nowMs, pauseMs, resumeCommand },
    ...{ onProgress, onNote },
  });
  const forget = onStop(() => {
    download.stop();
  });
  try {
    const result = await download.run(calls);
    const seconds = (clock.monotonicMs() - startedAt) / 1_000;
    return { ...result, plannedCalls: calls.length, seconds };
  } finally {
    forget();
    await api.close();
  }
}

async function callsOf(
  { fromMs, toMs, interval, symbols, kind, overwrite }: DownloadRequest,
  catalog: DataCatalog,
  clock: Clock,
): Promise<readonly DownloadCall[]> {
  if (aggregationOf(interval) === undefined)
    throw new UsageError(`--interval ${interval}: the venue has no such candles in its history`);
  const nowMs = clock.utcMs();
  const range = wholeCandles({ fromMs, toMs: Math.min(toMs ?? nowMs, nowMs) }, interval);
  if (range.fromMs >= range.toMs)
    throw new UsageError(
      `no closed candle of ${interval} lies between --from ${new Date(fromMs).toISOString()} and --to ${new Date(toMs ?? nowMs).toISOString()}`,
    );
  const held = new Map<string, Coverage | undefined>();
  if (!overwrite)
    for (const symbol of symbols)
      held.set(symbol, await catalog.coverage({ kind, symbol, interval }));
  return planCalls(range, interval, symbols, (symbol) => held.get(symbol), DEFAULT_API_LIMITS);
}

/** The command that downloads what these calls ask for. */
function commandOf(
  { baseUrl, symbols, kind, interval, fromMs, overwrite, rate }: DownloadRequest,
  { folder }: DataCatalog,
  calls: readonly DownloadCall[],
): string {
  const range = { fromMs, toMs: calls.at(-1)?.toMs ?? fromMs };
  const dataset = { kind, interval, symbol: symbols.join(',') };
  const command = downloadCommand(folder, dataset, range, baseUrl);
  return `${command} --rate ${rate}${overwrite ? ' --overwrite' : ''}`;
}

/** The result as `--json` prints it. */
export const downloadJson = (
  { rows, calls, plannedCalls, rateLimited, empty, isComplete, seconds }: FinishedDownload,
  { folder }: DataCatalog,
) => ({
  catalog: folder,
  planned_calls: plannedCalls,
  calls,
  rows,
  rate_limited: rateLimited,
  empty,
  complete: isComplete,
  seconds,
});

/** `2,880 candles of 2 symbols in 1 call, 0.4 s; the catalogue is …` */
export const downloadText = (
  { rows, calls, seconds }: FinishedDownload,
  { symbols }: DownloadRequest,
  { folder }: DataCatalog,
): string =>
  `${formatCount(rows, 'candle')} of ${formatCount(symbols.length, 'symbol')} in ${formatCount(calls, 'call')}, ${seconds.toFixed(1)} s; the catalogue is ${folder}`;

/** The reasons why the range is not whole, for people. */
export const downloadFaults = ({
  calls,
  plannedCalls,
  empty,
  isComplete,
}: FinishedDownload): readonly string[] => [
  ...(isComplete
    ? []
    : [
        `stopped after ${calls} of ${formatCount(plannedCalls, 'call')}; what arrived is in the catalogue, and the same command goes on`,
      ]),
  ...(empty.length === 0
    ? []
    : [`the venue has no candles of ${empty.join(', ')} in this range; check the symbols`]),
];
