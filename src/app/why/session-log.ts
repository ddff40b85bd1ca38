import type { EngineEvent } from '../../core/events.js';
import type { Candle } from '../../core/candle.js';
import type { SessionHeader } from '../../engine/recorder.js';
import { cutsIn } from '../../engine/replay.js';
import { GENESIS } from '../../execution/log/log-frame.js';
import { RECORD_DIRECTORY, sessionNames } from '../state-folder.js';
import { placeOf, type CandleRow, type IndexStore } from './index-store.js';
import { follow, logPaths, type LogPorts } from './log-follower.js';
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
  for (const name of await sessionNames(directory, ports.files)) {
    const paths = pathsOf(directory, name);
    for await (const { records } of follow(ports, paths, GENESIS, FIRST_BYTES)) {
      const [header, first] = records.map(({ payload }) => payload);
      if (header === undefined || first === undefined) break;
      const { venueTime } = parse(first) as EngineEvent;
      sessions.push({ name, header: parse(header) as SessionHeader, startedAt: venueTime });
      break;
    }
  }
  return sessions;
}

/** The session that ran at a venue time: the last that had begun. */
export const sessionAt = (sessions: readonly Session[], venueTime: number): Session | undefined =>
  sessions.findLast(({ startedAt }) => startedAt <= venueTime);

/** Every event of a session, oldest first, as it is read. */
export async function* eventsOf(
  ports: LogPorts,
  directory: string,
  { name }: Session,
  progress: Progress = () => undefined,
): AsyncGenerator<EngineEvent> {
  let isHeader = true;
  for await (const batch of follow(ports, pathsOf(directory, name), GENESIS)) {
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
  for await (const batch of follow(ports, pathsOf(directory, name), GENESIS))
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
  const name = `${RECORD_DIRECTORY}/${session.name}`;
  const known = store.log(name);
  const log = known?.id ?? store.begin(name, GENESIS);
  const from = known?.end ?? GENESIS;
  for await (const batch of follow(ports, pathsOf(directory, session.name), from)) {
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
