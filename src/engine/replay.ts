import type { EngineEvent } from '../core/events.js';
import type { EffectSink } from '../execution/effects.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  isCurrentRecord,
  type JournalRecord,
} from '../execution/journal/journal-record.js';

/** How a replay compares with the journal of the run it replays. */
export interface ReplayResult {
  readonly events: number;
  /** Records that the replay made. */
  readonly records: number;
  /** Intents among them. */
  readonly intents: number;
  /** Verdicts among them. */
  readonly verdicts: number;
  /**
   * Records at the end that the replay made and the journal does not have: a run that was cut off
   * lost them before they were durable, and sent nothing on their strength.
   */
  readonly unjournaled: number;
  /** Records of the journal that were written with the reserve, when events were not recorded. */
  readonly afterRescue?: number;
  /** Every record of the journal was made again, byte for byte. */
  readonly identical: boolean;
  /** The first record that differs, as the two runs have it. */
  readonly difference?: {
    readonly record: number;
    readonly event: number;
    readonly journaled: string | undefined;
    readonly replayed: string | undefined;
  };
}

/**
 * For each strategy whose code was lost: its first call without an answer. Whoever replays must know it
 * beforehand, because that call may never return.
 */
export const cutsIn = (events: readonly EngineEvent[]): ReadonlyMap<string, number> =>
  new Map(
    events.flatMap((event) =>
      event.kind === 'strategy-lost' ? [[event.strategy, event.call] as const] : [],
    ),
  );

interface Steppable {
  handle(event: EngineEvent): void;
}

const decoder = new TextDecoder();
const RESCUE = /^\{"v":\d+,"type":"rescue"/;

/** A record of an older version is compared in the words of this one. */
const asWrittenNow = (bytes: Uint8Array): Uint8Array =>
  isCurrentRecord(bytes) ? bytes : encodeJournalRecord(decodeJournalRecord(bytes));

/**
 * Compares instead of acting: every record that the engine makes must be the journal's next one, byte
 * for byte. Requests and timers go nowhere, because their answers are in the record.
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

  /** @param journal the records of the session, as bytes */
  constructor(journal: readonly Uint8Array[]) {
    const current = journal.map(asWrittenNow);
    const rescue = current.findIndex((bytes) => RESCUE.test(decoder.decode(bytes.subarray(0, 40))));
    this.#journal = rescue < 0 ? current : current.slice(0, rescue);
    this.#afterRescue = current.length - this.#journal.length;
  }

  journal(record: JournalRecord): void {
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

  slot(): void {
    // The record has the slot.
  }
  send(): void {
    // The record has the reply.
  }
  timer(): void {
    // The record has the timer.
  }
  notify(): void {
    // Said when it happened.
  }

  run(engine: Steppable, events: readonly EngineEvent[]): ReplayResult {
    for (const [index, event] of events.entries()) {
      this.#event = index;
      engine.handle(event);
    }
    const missing = this.#journal[this.#next];
    if (missing !== undefined && this.#difference === undefined) {
      this.#difference = {
        record: this.#next,
        event: events.length,
        journaled: decoder.decode(missing),
        replayed: undefined,
      };
    }
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
}
