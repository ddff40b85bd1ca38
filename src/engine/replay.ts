import { AssertionError } from '../core/assert.js';
import type { EngineEvent } from '../core/events.js';
import type { EffectSink } from '../execution/effects.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  isCurrentRecord,
  type JournalRecord,
} from '../execution/journal/journal-record.js';

/** Result of a replay, compared with the journal of the run. */
export interface ReplayResult {
  readonly events: number;
  /** Records that the replay made. */
  readonly records: number;
  /** Intents among them. */
  readonly intents: number;
  /** Verdicts among them. */
  readonly verdicts: number;
  /**
   * Trailing records that the journal lacks: a run that was cut off lost them before they were durable,
   * and sent nothing that depends on them.
   */
  readonly unjournaled: number;
  /** Journal records written to the reserved disk space, when events were not recorded. */
  readonly afterRescue?: number;
  /** The replay made every record of the journal again, byte for byte. */
  readonly identical: boolean;
  /** The first record that differs, as the two runs have it. */
  readonly difference?: {
    readonly record: number;
    readonly event: number;
    readonly journaled: string | undefined;
    readonly replayed: string | undefined;
  };
}

/** Name of one start of a strategy within a session; `run` undefined: that of the session itself. */
export const strategyRunKey = (strategy: string, run: number | undefined): string =>
  run === undefined ? strategy : `${strategy} ${run}`;

/**
 * First call without an answer of each strategy whose code failed, by `strategyRunKey`. A replay must know it
 * beforehand, because that call may never return.
 */
export const truncationPointsOf = (events: readonly EngineEvent[]): ReadonlyMap<string, number> =>
  new Map(
    events.flatMap((event) =>
      event.kind === 'strategy-lost'
        ? [[strategyRunKey(event.strategy, event.run), event.call] as const]
        : [],
    ),
  );

interface Steppable {
  handle(event: EngineEvent): void;
}

const decoder = new TextDecoder();
/** A person's decision after the run, which no event has made. */
const DECISION = /^\{"v":\d+,"type":"ownership"/;
const RESCUE = /^\{"v":\d+,"type":"rescue"/;

const begins = (bytes: Uint8Array, with_: RegExp): boolean =>
  with_.test(decoder.decode(bytes.subarray(0, 40)));

/** Converts a record of an older version to the current names before the comparison. */
const toCurrentVersion = (bytes: Uint8Array): Uint8Array =>
  isCurrentRecord(bytes) ? bytes : encodeJournalRecord(decodeJournalRecord(bytes));

/**
 * An effect sink that compares: every record of the engine must equal the journal's next record, byte
 * for byte. Requests and timers are ignored, because their results are recorded events.
 */
export class ReplaySink implements EffectSink {
  readonly journaling = true;
  readonly #journal: readonly Uint8Array[];
  readonly #afterRescue: number;
  #next = 0;
  #event = 0;
  #intents = 0;
  #verdicts = 0;
  #difference: ReplayResult['difference'];

  readonly #onRecord: ((record: JournalRecord) => void) | undefined;

  /**
   * @param journal records of the session, as bytes
   * @param onRecord receives each record that the replay makes
   */
  constructor(journal: readonly Uint8Array[], onRecord?: (record: JournalRecord) => void) {
    this.#onRecord = onRecord;
    const current = journal.filter((bytes) => !begins(bytes, DECISION)).map(toCurrentVersion);
    const rescue = current.findIndex((bytes) => begins(bytes, RESCUE));
    this.#journal = rescue < 0 ? current : current.slice(0, rescue);
    this.#afterRescue = current.length - this.#journal.length;
  }

  journal(record: JournalRecord): void {
    this.#onRecord?.(record);
    const replayed = decoder.decode(encodeJournalRecord(record));
    const bytes = this.#journal[this.#next];
    const journaled = bytes === undefined ? undefined : decoder.decode(bytes);
    const differs = journaled !== undefined && replayed !== journaled;
    if (differs && this.#difference === undefined) {
      this.#difference = { record: this.#next, event: this.#event, journaled, replayed };
    }
    this.#next += 1;
    if (record.type === 'intent') this.#intents += 1;
    if (record.type === 'verdict') this.#verdicts += 1;
  }

  requestPermit(): void {
    // The permit is a recorded event.
  }
  send(): void {
    // The reply is a recorded event.
  }
  timer(): void {
    // The timer is a recorded event.
  }
  notify(): void {
    // Already printed by the run.
  }

  run(engine: Steppable, events: readonly EngineEvent[]): ReplayResult {
    for (const [index, event] of events.entries()) {
      this.#event = index;
      try {
        engine.handle(event);
      } catch (error) {
        if (error instanceof AssertionError && this.#contradicts()) break;
        throw error;
      }
    }
    this.#noteMissing(events.length);
    return {
      events: events.length,
      records: this.#next,
      intents: this.#intents,
      verdicts: this.#verdicts,
      unjournaled: Math.max(0, this.#next - this.#journal.length),
      ...(this.#afterRescue > 0 && { afterRescue: this.#afterRescue }),
      identical: this.#difference === undefined,
      ...(this.#difference !== undefined && { difference: this.#difference }),
    };
  }

  /** After a difference the recorded events contradict the engine, such as a reply to an order that it never sent. */
  #contradicts(): boolean {
    this.#noteMissing(this.#event);
    return this.#difference !== undefined;
  }

  /** The journal has a record that the replay did not make. */
  #noteMissing(event: number): void {
    const missing = this.#journal[this.#next];
    if (missing === undefined || this.#difference !== undefined) return;
    const journaled = decoder.decode(missing);
    this.#difference = { record: this.#next, event, journaled, replayed: undefined };
  }
}
