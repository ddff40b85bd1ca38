import { join } from 'node:path';
import type { Coverage, DataCatalog } from '../../../catalog/catalog.js';
import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import { createNodeNet, type NodeNet } from '../../../io/net/node-net.js';
import { createLogger } from '../../../live/log/logger.js';
import { formatNumber } from '../../../report/figure-format.js';
import { CandleDownload } from '../../../tools/download/candle-download.js';
import { DownloadLine } from '../../../tools/download/download-line.js';
import {
  planCalls,
  wholeCandles,
  type DownloadCall,
} from '../../../tools/download/download-plan.js';
import { DEFAULT_API_LIMITS } from '../../../venue/futures-api/http/api-limits.js';
import { openDownloadApi } from '../../../tools/download/download-api.js';
import { aggregationOf } from '../../../venue/futures-api/wire/wire-market.js';
import { usesColour, type Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import type { DataDownloadOptions } from './download-options.js';
import { openCatalog } from './open-catalog.js';

/** Runs `sluice data download`. @returns 1 when it was stopped, or when the venue has no candles of a symbol */
export async function dataDownloadCommand(
  options: DataDownloadOptions,
  io: Io,
  givenNet?: NodeNet,
): Promise<number> {
  const catalog = openCatalog(options, io);
  const startedAt = io.clock.monotonicMs();
  const calls = await callsOf(options, catalog, io);
  const net = givenNet ?? createNodeNet();
  const logger = await createLogger({
    level: options.debug ? 'debug' : 'error',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: [],
    stacks: options.debug,
  });
  const { baseUrl, rate } = options;
  const { clock, scheduler, random, files } = io;
  const stateDir = join(catalog.folder, 'download');
  const ports = { net, clock, scheduler, random, files, logger };
  const { api, nowMs } = await openDownloadApi({ ...ports, baseUrl, rate, stateDir });
  const progress = new DownloadLine(io);
  const download = new CandleDownload({
    ...options,
    catalog,
    api,
    nowMs,
    clock: io.clock,
    scheduler: io.scheduler,
    random: io.random,
    onProgress: (at) => {
      progress.show(at);
    },
    onNote: (text) => {
      progress.clear();
      io.stderr(`sluice: ${oneLine(text)}\n`);
    },
  });
  const removeListener = io.onSignal(() => {
    download.stop();
  });
  try {
    const result = await download.run(calls);
    progress.clear();
    const seconds = (io.clock.monotonicMs() - startedAt) / 1_000;
    const summary = { catalog: catalog.folder, planned_calls: calls.length, ...result, seconds };
    if (options.json) printJson(io, summary);
    else
      io.stdout(
        `${formatNumber(result.rows, 0)} candles of ${options.symbols.length} symbols in ${result.calls} calls, ${seconds.toFixed(1)} s; the catalogue is ${oneLine(catalog.folder)}\n`,
      );
    if (!result.isComplete)
      io.stderr(
        `sluice: stopped after ${result.calls} of ${calls.length} calls; what arrived is in the catalogue, and the same command goes on\n`,
      );
    if (result.empty.length > 0)
      io.stderr(
        `sluice: the venue has no candles of ${result.empty.join(', ')} in this range; check the symbols\n`,
      );
    return result.isComplete && result.empty.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    progress.clear();
    removeListener();
    await api.close();
    await net.close();
  }
}

/** @throws UsageError for an empty range, or an interval that the venue does not have */
async function callsOf(
  { fromMs, toMs, interval, symbols, kind, overwrite }: DataDownloadOptions,
  catalog: DataCatalog,
  { clock }: Io,
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
