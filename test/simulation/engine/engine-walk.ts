import type { Candle } from '../../../src/core/candle.js';
import type { Engine } from '../../../src/engine/engine.js';
import { ReplaySink } from '../../../src/engine/replay.js';
import {
  compactedRecords,
  recoveredHash,
} from '../../../src/execution/journal/journal-compaction.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
} from '../../../src/execution/journal/journal-record.js';
import { Agenda } from './agenda.js';
import { Chance } from './chance.js';
import { ACCOUNT, engineOn } from './walk-bot.js';
import { WalkChecks } from './walk-checks.js';
import { WalkHands } from './walk-hands.js';
import { WalkLife } from './walk-life.js';
import { planOf, type WalkPlan } from './walk-plan.js';
import { LISTINGS, START_MS, WALKED, WalkVenue } from './walk-venue.js';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const MOST_SLOT_MS = 30;
/** Quiet: at least so long, and at most; ms. */
const QUIET_MS = 45_000;
const MOST_QUIET_MS = 300_000;
const LOOK_MS = 1_000;
const FLAT_MS = 60_000;

/**
 * Some lives of the real engine, as `wire.ts` builds it, on the real exchange: reads that lag, fail and
 * blip, answers that are lost, hands on the account, deaths and compactions between them. No disk, no
 * wire and no promise: thousands of them run in a minute.
 */
export class EngineWalk {
  readonly #agenda = new Agenda();
  readonly #chance: Chance;
  readonly #plan: WalkPlan;
  readonly #venue: WalkVenue;
  readonly #hands: WalkHands;
  readonly #checks: WalkChecks;
  readonly #wishes: Parameters<typeof engineOn>[1];
  #journal: readonly Uint8Array[] = [];
  #life: WalkLife | undefined;
  #wantsUntil = Number.POSITIVE_INFINITY;

  constructor(seed: number) {
    const chance = new Chance(seed);
    const plan = planOf(chance);
    this.#chance = chance;
    this.#plan = plan;
    this.#venue = new WalkVenue(this.#agenda, chance, plan);
    this.#hands = new WalkHands(this.#venue, chance);
    this.#checks = new WalkChecks(this.#venue);
    this.#wishes = {
      seed,
      gate: plan.gate,
      appetite: plan.appetite,
      until: () => this.#wantsUntil,
    };
    this.#agenda.afterEach = () => {
      this.#venue.look();
      this.#checks.look();
    };
  }

  get plan(): WalkPlan {
    return this.#plan;
  }

  /** @throws Error naming the property that a step breaks */
  run(): void {
    const { busyMs, hands, commands, deaths } = this.#plan;
    const sometime = (times: number, run: () => void): void => {
      for (let time = 0; time < times; time += 1)
        this.#agenda.at(this.#chance.between(2_000, busyMs), run);
    };
    this.#start();
    this.#candles(0);
    this.#seconds(0);
    sometime(hands, () => {
      this.#hands.act();
    });
    sometime(2 * hands, () => {
      this.#hands.fillPart();
    });
    sometime(commands, () => {
      this.#life?.happen(this.#hands.command());
    });
    sometime(deaths, () => {
      this.#die();
    });
    this.#agenda.runUntil(busyMs);
    this.#quieten();
    this.#flatten();
    this.#end();
  }

  // --- lives ---------------------------------------------------------------------------------------

  #start(): void {
    const before = this.#journal;
    const life: WalkLife = new WalkLife({
      agenda: this.#agenda,
      venue: this.#venue,
      slotMs: () => this.#chance.between(0, MOST_SLOT_MS),
      build: (effects) => engineOn(before, this.#wishes, effects),
      journaled: (record) => {
        this.#checks.journaled(record);
      },
      left: () => undefined,
      stepped: () => {
        this.#checks.believes(life.engine);
      },
    });
    this.#life = life;
    this.#checks.watch(life.engine);
    const instruments = LISTINGS.map(({ instrument }) => instrument);
    life.happen({ kind: 'instruments', instruments });
    const openTime = Math.floor(this.#venue.venueTime / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
    for (const symbol of WALKED) this.#tellCandle(symbol, openTime, false);
    this.#tellTickers();
    life.poll();
  }

  #die(): void {
    const life = this.#life;
    if (life?.alive !== true) return;
    this.#end();
    this.#agenda.after(this.#chance.pick([100, 2_000, 20_000]), () => {
      this.#start();
    });
  }

  /** What of its journal was written is what the next life finds; some sessions are run again. */
  #end(): void {
    const life = this.#life;
    if (life?.alive !== true) return;
    life.end();
    const before = this.#journal;
    if (this.#chance.is(0.2)) this.#replay(life, before);
    const kept = this.#chance.between(life.durable, life.records.length);
    this.#journal = [...before, ...life.records.slice(0, kept)];
    if (this.#plan.compacts && this.#chance.is(0.7)) this.#compact();
  }

  #compact(): void {
    const records = this.#journal.map(decodeJournalRecord);
    const compacted = compactedRecords(records, ACCOUNT).map(encodeJournalRecord);
    const after = recoveredHash(compacted.map(decodeJournalRecord), ACCOUNT);
    if (after !== recoveredHash(records, ACCOUNT))
      throw new Error('P7: a start from the compacted journal finds something else');
    this.#journal = compacted;
  }

  /** From some event on nothing may be recorded any more, and the journal says so (K1). */
  #replay({ events, records, recordsAfter }: WalkLife, before: readonly Uint8Array[]): void {
    const isCut = this.#chance.is(0.5);
    const last = isCut ? this.#chance.between(0, events.length - 1) : events.length - 1;
    const explained = recordsAfter[last] ?? 0;
    const mark = encodeJournalRecord({ type: 'rescue', venueTime: START_MS, cause: 'no room' });
    const own = isCut
      ? [...records.slice(0, explained), mark, ...records.slice(explained)]
      : records;
    const sink = new ReplaySink(own);
    const engine = engineOn(before, this.#wishes, sink);
    const { identical, difference } = sink.run(engine, events.slice(0, last + 1));
    if (!identical)
      throw new Error(`P7: a session runs another way: ${JSON.stringify(difference)}`);
  }

  // --- market --------------------------------------------------------------------------------------

  /** Closed candles, one venue minute after the other. */
  #candles(count: number): void {
    const openTime = START_MS + count * MINUTE_MS;
    const closesAt = (count + 1) * MINUTE_MS;
    this.#agenda.at(closesAt + this.#chance.between(10, 80), () => {
      for (const symbol of WALKED) this.#tellCandle(symbol, openTime, true);
      this.#candles(count + 1);
    });
  }

  #tellCandle(symbol: string, openTime: number, live: boolean): void {
    const candles = [this.#candle(symbol, openTime)];
    this.#life?.happen({ kind: 'candles', symbol, interval: '1m', candles, live });
  }

  #candle(symbol: string, openTime: number): Candle {
    const price = this.#venue.last(symbol) / 1e8;
    return { openTime, open: price, high: price, low: price, close: price, volume: 1 };
  }

  /** Every second each symbol has traded; every other one its ticker comes. */
  #seconds(count: number): void {
    this.#agenda.after(SECOND_MS, () => {
      const openTime = Math.floor(this.#venue.venueTime / SECOND_MS) * SECOND_MS - SECOND_MS;
      for (const symbol of WALKED) {
        const candle = this.#candle(symbol, openTime);
        this.#life?.happen({ kind: 'seconds', symbol, price: 'last', candle });
      }
      if (count % 2 === 0) this.#tellTickers();
      this.#seconds(count + 1);
    });
  }

  #tellTickers(): void {
    const rows = WALKED.map((symbol) => {
      const last = this.#venue.last(symbol) / 1e8;
      return { symbol, last, mark: last };
    });
    this.#life?.happen({ kind: 'tickers', rows });
  }

  // --- the end -------------------------------------------------------------------------------------

  /** Faults stop, and nothing new is wanted: all must come to its end. */
  #quieten(): void {
    this.#venue.quiet = true;
    this.#wantsUntil = this.#venue.venueTime + 1;
    if (this.#life?.alive !== true) this.#agenda.runUntil(this.#agenda.now + 20_000);
    const from = this.#agenda.now;
    for (;;) {
      this.#agenda.runUntil(this.#agenda.now + LOOK_MS);
      const passed = this.#agenda.now - from;
      if (passed > MOST_QUIET_MS) break;
      if (passed > QUIET_MS && this.#checks.isDecided(this.#engine)) break;
    }
    this.#checks.end(this.#engine);
  }

  #flatten(): void {
    if (!this.#plan.flattens) return;
    const command = { kind: 'stop', policy: 'flatten' } as const;
    this.#life?.happen({ kind: 'command', commandId: 'the end', command });
    this.#agenda.runUntil(this.#agenda.now + FLAT_MS);
    this.#checks.flat(this.#engine);
  }

  get #engine(): Engine {
    const engine = this.#life?.engine;
    if (engine === undefined) throw new Error('a walk has a life');
    return engine;
  }
}
