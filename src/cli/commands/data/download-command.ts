import { join } from 'node:path';
import type { Coverage, DataCatalog } from '../../../catalog/catalog.js';
import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { LINE_CLEAR, LINE_START, oneLine } from '../../../core/terminal-text.js';
import { createNodeNet, type NodeNet } from '../../../io/net/node-net.js';
import { createLogger } from '../../../live/log/logger.js';
import { formatNumber } from '../../../report/figure-format.js';
import { CandleDownload, type DownloadProgress } from '../../../tools/download/candle-download.js';
import {
  planCalls,
  wholeCandles,
  type DownloadCall,
} from '../../../tools/download/download-plan.js';
import { createFuturesApi } from '../../../venue/futures-api/http/create-futures-api.js';
import { DEFAULT_API_LIMITS } from '../../../venue/futures-api/http/api-limits.js';
import { Secret } from '../../../venue/futures-api/http/secret.js';
import { aggregationOf } from '../../../venue/futures-api/wire/wire-market.js';
import { usesColour, type Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import type { DataDownloadOptions } from './download-options.js';
import { openCatalog } from './open-catalog.js';

const MINUTE_MS = 60_000;
/** A download of a year of minutes reads answers of megabytes. */
const READ_TIMEOUT_MS = 30_000;
/** A crash loses the use of at most 10 calls: the saved limits count a second of them. */
const CALLS_PER_SECOND = 10;

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
  const { api, nowMs } = await openApi(options, catalog, net, io);
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

async function openApi(
  { baseUrl, debug, rate }: DataDownloadOptions,
  catalog: DataCatalog,
  net: NodeNet,
  io: Io,
) {
  let venueMs: number | undefined;
  const { clock, scheduler, random, files } = io;
  // The used limits are kept: a killed and resumed download must not exceed them.
  const stateDir = join(catalog.folder, 'download');
  await files.makeDirectory(stateDir);
  const logger = await createLogger({
    level: debug ? 'debug' : 'error',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: [],
    stacks: debug,
  });
  const market = {
    windows: [
      { lengthMs: 1_000, limit: CALLS_PER_SECOND },
      { lengthMs: MINUTE_MS, limit: rate },
    ],
    safety: 1,
    reserve: 0,
  };
  const api = createFuturesApi({
    ...{ baseUrl, net, clock, scheduler, random, logger, files, stateDir },
    // Public calls send no secret.
    secret: new Secret('-public-market-data-'),
    limits: { tiers: { ...DEFAULT_API_LIMITS.tiers, market }, readTimeoutMs: READ_TIMEOUT_MS },
    onServerDate: ({ serverMs }) => {
      venueMs = serverMs;
    },
  });
  return { api, nowMs: () => Math.min(clock.utcMs(), venueMs ?? Infinity) };
}

const BAR_WIDTH = 24;
const DRAW_INTERVAL_MS = 200;

/** The progress on a terminal: `[####----] 43 %  157 of 365 calls  2024-06-01  298 calls/min  42 s left`. */
class DownloadLine {
  readonly #io: Io;
  #startedAt: number | undefined;
  #drawnAt = -Infinity;

  constructor(io: Io) {
    this.#io = io;
  }

  show({ calls, totalCalls, timeMs }: DownloadProgress): void {
    const now = this.#io.clock.monotonicMs();
    this.#startedAt ??= now;
    if (!this.#io.isTerminal || now - this.#drawnAt < DRAW_INTERVAL_MS) return;
    this.#drawnAt = now;
    const full = Math.floor((calls / totalCalls) * BAR_WIDTH);
    const elapsedMs = now - this.#startedAt;
    const perMs = elapsedMs > 0 ? calls / elapsedMs : 0;
    const left = perMs > 0 ? `  ${Math.ceil((totalCalls - calls) / perMs / 1_000)} s left` : '';
    const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}]`;
    const date = new Date(timeMs).toISOString().slice(0, 10);
    const rate = `${Math.round(perMs * MINUTE_MS)} calls/min`;
    const text = `${bar} ${calls} of ${totalCalls} calls  ${date}  ${rate}${left}`;
    this.#io.stderr(`${LINE_START}${text.padEnd(78)}`);
  }

  clear(): void {
    if (this.#drawnAt !== -Infinity) this.#io.stderr(LINE_CLEAR);
    this.#drawnAt = -Infinity;
  }
}
