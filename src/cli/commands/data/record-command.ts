import { join } from 'node:path';
import type { DataCatalog } from '../../../catalog/catalog.js';
import { StartError, UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import type { Cancel } from '../../../core/ports.js';
import { SECRET_VARIABLE } from '../../../core/secret-variable.js';
import { countText, oneLine } from '../../../core/terminal-text.js';
import { createNodeNet, type NodeNet } from '../../../io/net/node-net.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import { createLogger } from '../../../live/log/logger.js';
import { FundingRecorder } from '../../../tools/record/funding-recorder.js';
import { RecordLoop } from '../../../tools/record/record-loop.js';
import { eventJson, eventText, type RecordEvent } from '../../../tools/record/record-event.js';
import { lockRecorder } from '../../../tools/record/recorder-lock.js';
import { VenueTime } from '../../../tools/record/venue-time.js';
import { createFuturesApi } from '../../../venue/futures-api/http/create-futures-api.js';
import { usesColour, type Io } from '../../command-io.js';
import { openAccountConnection, type AccountConnection } from '../account/account-connection.js';
import { printJson } from '../account/print.js';
import { openCatalog } from './open-catalog.js';
import { recordCandles } from './record-candles.js';
import type { DataRecordOptions } from './record-options.js';

/** One call for the candles of all symbols (interface: limits). */
const MAX_SYMBOLS = 25;
const CANDLES_EVERY_MS = 15 * 60_000;
/** Real ms from Ctrl-C until the last round of candles is given up; the next start goes on where it ended. */
const LAST_ROUND_MS = 5_000;
const BYTES_PER_MB = 1_000_000;

/** Runs `sluice data record`. @returns 1 if work was left undone */
export async function dataRecordCommand(options: DataRecordOptions, io: Io): Promise<number> {
  const durationMs = checkedDuration(options, io);
  const catalog = openCatalog(options, io);
  const folder = join(catalog.folder, 'record');
  const lock = await lockRecorder(folder, io.files, nodeProcessFacts.locks);
  try {
    const venue = await openVenue(options, io);
    try {
      return await record(options, io, { catalog, folder, venue, durationMs });
    } finally {
      await venue.close();
    }
  } finally {
    await lock.release();
  }
}

/** @returns ms; undefined: until Ctrl-C */
function checkedDuration(options: DataRecordOptions, { clock }: Io): number | undefined {
  const { symbols, for: forMs, until } = options;
  if (symbols.length > MAX_SYMBOLS)
    throw new UsageError(`--symbol names ${symbols.length} symbols; a recorder takes 25 at most`);
  if (forMs !== undefined && until !== undefined)
    throw new UsageError('give --for or --until, not both');
  if (until === undefined) return forMs;
  const leftMs = until - clock.utcMs();
  if (leftMs <= 0) throw new UsageError(`--until ${new Date(until).toISOString()} is over`);
  return leftMs;
}

type Venue = Pick<AccountConnection, 'baseUrl' | 'net' | 'logger' | 'close'> &
  Partial<Pick<AccountConnection, 'secret'>>;

/** With a key if one is named; without it the public part is open. */
async function openVenue(options: DataRecordOptions, io: Io): Promise<Venue> {
  const { config, secretFile, baseUrl, streams } = options;
  const hasKey =
    config !== undefined || secretFile !== undefined || io.env[SECRET_VARIABLE] !== undefined;
  if (config !== undefined || (streams.includes('funding') && hasKey))
    return openAccountConnection(options, io);
  if (baseUrl === undefined)
    throw new UsageError('name the venue: --config FILE, or --base-url URL');
  if (streams.every((kind) => kind === 'funding'))
    throw new UsageError(
      'funding rates need a key: name its file with --secret-file (one line, mode 0600)',
    );
  const net: NodeNet = createNodeNet();
  const logger = await createLogger({
    level: options.debug ? 'debug' : 'error',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: [],
    stacks: options.debug,
  });
  return { baseUrl, net, logger, close: () => net.close() };
}

interface RecordParts {
  readonly catalog: DataCatalog;
  /** Of the recorder's own files. */
  readonly folder: string;
  readonly venue: Venue;
  readonly durationMs: number | undefined;
}

interface Tally {
  rates: number;
  settlements: number;
  missed: number;
  candles: number;
}

async function record(options: DataRecordOptions, io: Io, parts: RecordParts): Promise<number> {
  const { catalog, venue, durationMs } = parts;
  const tally: Tally = { rates: 0, settlements: 0, missed: 0, candles: 0 };
  const onEvent = (event: RecordEvent): void => {
    count(tally, event);
    tell(options, io, event);
  };
  const funding = await openFunding(options, io, parts, onEvent);
  const { symbols, streams, every } = options;
  const kinds = streams.filter((kind) => kind !== 'funding');
  const running = new RunningParts();
  const loop = new RecordLoop({
    ...{ scheduler: io.scheduler, symbols, onEvent },
    ...(funding !== undefined && { funding }),
    ...(kinds.length > 0 && {
      candles: () =>
        recordCandles({
          ...{ io, net: venue.net, logger: venue.logger, baseUrl: venue.baseUrl },
          ...{ catalog, symbols, kinds, onEvent, onStop: running.add },
        }),
    }),
    checkSize: () => checkSize(options, catalog),
    everyMs: every,
    candlesEveryMs: CANDLES_EVERY_MS,
    onStatus: () => {
      if (options.json) printJson(io, { event: 'status', ...tally });
      else io.stderr(`sluice: ${tallyText(tally)}\n`);
    },
  });
  let cancelLast: Cancel | undefined;
  const forget = io.onSignal(() => {
    loop.stop();
    running.stop();
    // The last round writes the candles since the round before; at the rate limit it would take a minute.
    if (cancelLast === undefined)
      cancelLast = io.scheduler.after(LAST_ROUND_MS, () => {
        running.close();
      });
    else running.close();
  });
  const cancel =
    durationMs === undefined
      ? undefined
      : io.scheduler.after(durationMs, () => {
          loop.stop();
        });
  try {
    await loop.run();
  } finally {
    cancel?.();
    cancelLast?.();
    forget();
    tell(options, io, { event: 'note', text: `recorded ${tallyText(tally)}` });
  }
  const { failures } = loop;
  if (options.json) printJson(io, { event: 'ended', catalog: catalog.folder, ...tally, failures });
  else
    io.stdout(
      `${oneLine(`${tallyText(tally)}; the catalogue is ${catalog.folder}, and the same command goes on`)}\n`,
    );
  return failures.length === 0 ? EXIT.done : EXIT.failed;
}

async function openFunding(
  { symbols, streams }: DataRecordOptions,
  io: Io,
  { catalog, folder, venue }: RecordParts,
  onEvent: (event: RecordEvent) => void,
): Promise<FundingRecorder | undefined> {
  if (!streams.includes('funding')) return undefined;
  const { secret, baseUrl, net, logger } = venue;
  if (secret === undefined) {
    onEvent({
      event: 'note',
      text: 'no funding rates are recorded: the venue names them to a key alone; name its file with --secret-file',
    });
    return undefined;
  }
  const { clock, scheduler, random, files } = io;
  const time = new VenueTime(clock);
  const { onServerDate } = time;
  const api = createFuturesApi({
    ...{ baseUrl, secret, net, clock, scheduler, random, logger, onServerDate },
  });
  const path = join(folder, 'funding.json');
  const funding = new FundingRecorder({
    ...{ api, catalog, files, path, symbols, baseUrl, nowMs: time.now, onEvent },
  });
  await funding.open();
  return funding;
}

/** @throws StartError */
async function checkSize({ maxMb }: DataRecordOptions, catalog: DataCatalog): Promise<void> {
  if (maxMb === undefined) return;
  const entries = await catalog.list();
  const bytes = entries.reduce((sum, { state }) => sum + (state?.bytes ?? 0), 0);
  if (bytes >= maxMb * BYTES_PER_MB)
    throw new StartError(
      `the files of the catalogue ${catalog.folder} have ${(bytes / BYTES_PER_MB).toFixed(1)} MB, and --max-mb is ${maxMb}: raise it, or choose another folder with --catalog`,
    );
}

/** The calls under way. */
class RunningParts {
  readonly #stops = new Set<() => void>();
  #isClosed = false;

  readonly add = (stop: () => void): (() => void) => {
    this.#stops.add(stop);
    if (this.#isClosed) stop();
    return () => this.#stops.delete(stop);
  };

  stop(): void {
    for (const each of this.#stops) each();
  }

  /** Stops each later one at once, too. */
  close(): void {
    this.#isClosed = true;
    this.stop();
  }
}

function count(tally: Tally, event: RecordEvent): void {
  if (event.event === 'rate') tally.rates += 1;
  else if (event.event === 'settlement') tally.settlements += 1;
  else if (event.event === 'missed') tally.missed += 1;
  else if (event.event === 'candles') tally.candles += event.rows;
}

function tell({ json }: DataRecordOptions, io: Io, event: RecordEvent): void {
  if (json) printJson(io, eventJson(event));
  else {
    const text = eventText(event);
    if (text !== undefined) io.stderr(`sluice: ${oneLine(text)}\n`);
  }
}

const tallyText = ({ rates, settlements, missed, candles }: Tally): string =>
  `${countText(candles, 'candle')}, ${countText(rates, 'rate reading')}, ${countText(settlements, 'settlement')}${missed > 0 ? `, ${missed} missed` : ''}`;
