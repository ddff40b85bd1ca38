import type { EngineEvent } from '../../core/events.js';
import type { Candle } from '../../core/candle.js';
import type { SessionHeader } from '../../engine/recorder.js';
import { cutsIn } from '../../engine/replay.js';
import { GENESIS } from '../../execution/log/log-frame.js';
import { recordsIn } from '../record/closed-part.js';
import { partsOf, RECORD_DIRECTORY, type Part } from '../record/part-names.js';
import { placeOf, type CandleRow, type IndexStore } from './index-store.js';
import { follow, logPaths, type Batch, type LogPorts } from './log-follower.js';
import type { Progress } from './journal-logs.js';

/** One life of a bot in a state folder, as its record begins. */
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

/** A configuration and an event. */
const FIRST_BYTES = 1024 * 1024;

/** The sessions of a folder that have an event, oldest first. */
export async function sessionsOf(ports: LogPorts, directory: string): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  for (const part of await partsOf(directory, ports.files)) {
    if (part.number > 1) continue;
    const [header, first] = await beginningOf(ports, directory, part);
    if (header === undefined || first === undefined) continue;
    const { venueTime } = parse(first) as EngineEvent;
    const begun = { header: parse(header) as SessionHeader, startedAt: venueTime };
    sessions.push({ name: part.session, ...begun });
  }
  return sessions;
}

async function beginningOf(
  ports: LogPorts,
  directory: string,
  { stem, file, closedAt }: Part,
): Promise<readonly Uint8Array[]> {
  const path = `${directory}/${RECORD_DIRECTORY}/${file}`;
  const packed = closedAt === undefined ? undefined : await ports.files.read(path);
  if (packed !== undefined) return recordsIn(packed, path);
  for await (const { records } of follow(ports, pathsOf(directory, stem), GENESIS, FIRST_BYTES)) {
    return records.map(({ payload }) => payload);
  }
  return [];
}

/** Of the files that hold a session, oldest first. */
async function stemsOf(
  { files }: LogPorts,
  directory: string,
  session: string,
): Promise<readonly string[]> {
  const parts = await partsOf(directory, files);
  return parts.filter((part) => part.session === session).map(({ stem }) => stem);
}

/** Every durable record of a session, header first. */
async function* batchesOf(
  ports: LogPorts,
  directory: string,
  session: string,
): AsyncGenerator<Batch> {
  for (const stem of await stemsOf(ports, directory, session)) {
    yield* follow(ports, pathsOf(directory, stem), GENESIS);
  }
}

/** The session that ran at a venue time: the last that had begun. */
export const sessionAt = (sessions: readonly Session[], venueTime: number): Session | undefined =>
  sessions.findLast(({ startedAt }) => startedAt <= venueTime);

/** Where older sessions were deleted: venue ms at which the first that is left began. */
export function deletedBefore([first]: readonly Session[]): number | undefined {
  return first === undefined || Number(first.name) === 1 ? undefined : first.startedAt;
}

/** Every event of a session, oldest first, as it is read. */
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
    progress(batch.end.bytes, batch.promisedBytes);
  }
}

const LOST = Buffer.from('"kind":"strategy-lost"');

/** For each strategy whose code was lost in a session: its first call without an answer. */
export async function cutsOf(
  ports: LogPorts,
  directory: string,
  { name }: Session,
): Promise<ReadonlyMap<string, number>> {
  const found: EngineEvent[] = [];
  for await (const batch of batchesOf(ports, directory, name))
    for (const { payload } of batch.records)
      if (headOf(payload).includes(LOST)) found.push(parse(payload) as EngineEvent);
  return cutsIn(found);
}

/** Brings the index of a session's candles up to what is durable. */
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
  const log = known?.id ?? store.begin(name, GENESIS);
  const from = known?.end ?? GENESIS;
  for await (const batch of follow(ports, pathsOf(directory, stem), from)) {
    const rows = batch.records.flatMap(({ payload, offset }) =>
      rowOf(payload, placeOf(log, offset)),
    );
    store.addCandles(log, rows, batch.end);
    progress(batch.end.bytes, batch.promisedBytes);
  }
}

const KINDS = ['candles', 'seconds', 'mark-candles'] as const;
const MARKS = KINDS.map((kind) => Buffer.from(`"kind":"${kind}"`));
/** An event's kind stands behind two times. */
const HEAD_BYTES = 160;

const headOf = (payload: Uint8Array): Buffer =>
  Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.length, HEAD_BYTES));

function rowOf(payload: Uint8Array, place: number): CandleRow[] {
  const head = headOf(payload);
  if (!MARKS.some((mark) => head.includes(mark))) return [];
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
      place,
    },
  ];
}

/** The candles that an event brings, ascending. */
export function candlesIn(event: EngineEvent): readonly Candle[] {
  if (event.kind === 'candles') return event.candles;
  return event.kind === 'seconds' || event.kind === 'mark-candles' ? [event.candle] : [];
}
