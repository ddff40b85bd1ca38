import type { EngineEvent } from '../../../core/events.js';
import type { Candle } from '../../../core/candle.js';
import type { SessionHeader } from '../../../engine/recorder.js';
import { truncationPointsOf } from '../../../engine/replay.js';
import { GENESIS } from '../../../io/log/log-frame.js';
import { recordsIn } from '../../../live/record/compressed-part.js';
import { listParts, RECORD_DIRECTORY, type RecordPart } from '../../../live/record/part-names.js';
import { recordAddress, type CandleRow, type IndexStore } from './index-store.js';
import { follow, logPaths, type Batch, type LogPorts } from './log-follower.js';
import type { Progress } from './journal-logs.js';

/** One recorded run of a bot in a state folder. */
export interface Session {
  readonly name: string;
  readonly header: SessionHeader;
  /** Venue ms of its first event. */
  readonly startedAt: number;
}

const decoder = new TextDecoder();
const parse = (payload: Uint8Array): unknown => JSON.parse(decoder.decode(payload));

const pathsOf = (directory: string, name: string) =>
  logPaths(`${directory}/${RECORD_DIRECTORY}`, name);

/** Enough bytes for the header with its configuration, and one event. */
const FIRST_BYTES = 1024 * 1024;

/** The sessions of a folder that hold an event, oldest first. */
export async function sessionsOf(ports: LogPorts, directory: string): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  for (const part of await listParts(directory, ports.files)) {
    if (part.number > 1) continue;
    const [header, first] = await firstRecordsOf(ports, directory, part);
    if (header === undefined || first === undefined) continue;
    const { venueTime } = parse(first) as EngineEvent;
    const start = { header: parse(header) as SessionHeader, startedAt: venueTime };
    sessions.push({ name: part.session, ...start });
  }
  return sessions;
}

async function firstRecordsOf(
  ports: LogPorts,
  directory: string,
  { stem, file, closedAt }: RecordPart,
): Promise<readonly Uint8Array[]> {
  const path = `${directory}/${RECORD_DIRECTORY}/${file}`;
  const packed = closedAt === undefined ? undefined : await ports.files.read(path);
  if (packed !== undefined) return recordsIn(packed, path);
  for await (const { records } of follow(ports, pathsOf(directory, stem), GENESIS, FIRST_BYTES)) {
    return records.map(({ payload }) => payload);
  }
  return [];
}

/** The name stems of the files of a session, oldest first. */
async function stemsOf(
  { files }: LogPorts,
  directory: string,
  session: string,
): Promise<readonly string[]> {
  const parts = await listParts(directory, files);
  return parts.filter((part) => part.session === session).map(({ stem }) => stem);
}

/** Yields every durable record of a session, header first. */
async function* batchesOf(
  ports: LogPorts,
  directory: string,
  session: string,
): AsyncGenerator<Batch> {
  for (const stem of await stemsOf(ports, directory, session)) {
    yield* follow(ports, pathsOf(directory, stem), GENESIS);
  }
}

/** The session of a venue time: the last one started before it. */
export const sessionAt = (sessions: readonly Session[], venueTime: number): Session | undefined =>
  sessions.findLast(({ startedAt }) => startedAt <= venueTime);

/** Venue ms of the start of the oldest session, when earlier ones were deleted. */
export function deletedBefore([first]: readonly Session[]): number | undefined {
  return first === undefined || Number(first.name) === 1 ? undefined : first.startedAt;
}

/** Yields every event of a session, oldest first. */
export async function* eventsOf(
  ports: LogPorts,
  directory: string,
  { name }: Session,
  progress: Progress = () => undefined,
): AsyncGenerator<EngineEvent> {
  let isHeader = true;
  for await (const batch of batchesOf(ports, directory, name)) {
    for (const { payload } of batch.records) {
      if (!isHeader) yield parse(payload) as EngineEvent;
      isHeader = false;
    }
    progress(batch.end.bytes, batch.syncedBytes);
  }
}

const STRATEGY_LOST_MARKER = Buffer.from('"kind":"strategy-lost"');
const COMMAND_MARKER = Buffer.from('"kind":"command"');

/** For each strategy that failed on its thread in a session: its first call without a response. */
export async function sessionTruncations(
  ports: LogPorts,
  directory: string,
  { name }: Session,
): Promise<ReadonlyMap<string, number>> {
  const found: EngineEvent[] = [];
  for await (const batch of batchesOf(ports, directory, name))
    for (const { payload } of batch.records)
      if (headOf(payload).includes(STRATEGY_LOST_MARKER)) found.push(parse(payload) as EngineEvent);
  return truncationPointsOf(found);
}

/** The commands of a session, such as starts of single strategies. */
export async function sessionCommands(
  ports: LogPorts,
  directory: string,
  { name }: Session,
): Promise<readonly EngineEvent[]> {
  const found: EngineEvent[] = [];
  for await (const batch of batchesOf(ports, directory, name))
    for (const { payload } of batch.records)
      if (headOf(payload).includes(COMMAND_MARKER)) found.push(parse(payload) as EngineEvent);
  return found;
}

/** Indexes the durable candles of a session. */
export async function indexSession(
  store: IndexStore,
  ports: LogPorts,
  directory: string,
  session: Session,
  progress: Progress,
): Promise<void> {
  for (const stem of await stemsOf(ports, directory, session.name)) {
    await indexPart(store, ports, { directory, stem, progress });
  }
}

async function indexPart(
  store: IndexStore,
  ports: LogPorts,
  part: { readonly directory: string; readonly stem: string; readonly progress: Progress },
): Promise<void> {
  const { directory, stem, progress } = part;
  const name = `${RECORD_DIRECTORY}/${stem}`;
  const known = store.log(name);
  const log = known?.id ?? store.addLog(name, GENESIS);
  const from = known?.end ?? GENESIS;
  for await (const batch of follow(ports, pathsOf(directory, stem), from)) {
    const rows = batch.records.flatMap(({ payload, offset }) =>
      rowOf(payload, recordAddress(log, offset)),
    );
    store.addCandles(log, rows, batch.end);
    progress(batch.end.bytes, batch.syncedBytes);
  }
}

const KINDS = ['candles', 'seconds', 'mark-candles'] as const;
const KIND_MARKERS = KINDS.map((kind) => Buffer.from(`"kind":"${kind}"`));
/** Bytes that hold the kind of an event, which follows two times. */
const HEAD_BYTES = 160;

const headOf = (payload: Uint8Array): Buffer =>
  Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.length, HEAD_BYTES));

function rowOf(payload: Uint8Array, address: number): CandleRow[] {
  const head = headOf(payload);
  if (!KIND_MARKERS.some((mark) => head.includes(mark))) return [];
  const event = parse(payload) as EngineEvent;
  const candles = candlesIn(event);
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined || !('symbol' in event)) return [];
  return [
    {
      kind: event.kind === 'seconds' ? `seconds-${event.price}` : event.kind,
      symbol: event.symbol,
      first: first.openTime,
      last: last.openTime,
      live: event.kind !== 'candles' || event.live,
      address,
    },
  ];
}

/** The candles of an event, ascending. */
export function candlesIn(event: EngineEvent): readonly Candle[] {
  if (event.kind === 'candles') return event.candles;
  return event.kind === 'seconds' || event.kind === 'mark-candles' ? [event.candle] : [];
}
