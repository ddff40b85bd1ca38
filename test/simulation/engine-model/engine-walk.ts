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
import { Schedule } from './schedule.js';
import { Rng } from './rng.js';
import { ACCOUNT, engineOn } from './walk-bot.js';
import { WalkChecks } from './walk-checks.js';
import { ExternalTrader } from './external-trader.js';
import { EngineRun } from './engine-run.js';
import { planOf, type WalkPlan } from './walk-plan.js';
import { LISTINGS, START_MS, TRADED_SYMBOLS, WalkExchange } from './walk-exchange.js';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const MAX_PERMIT_MS = 30;
/** Quiet: at least so long, and at most; ms. */
const QUIET_MS = 45_000;
const MAX_QUIET_MS = 300_000;
const CHECK_INTERVAL_MS = 1_000;
const FLAT_MS = 60_000;

/**
 * Some lives of the real engine, as `wire.ts` builds it, on the real exchange: reads that lag, fail and
 * blip, answers that are lost, hands on the account, deaths and compactions between them. No disk, no
 * wire and no promise: thousands of them run in a minute.
 */
export class EngineWalk {
  readonly #schedule = new Schedule();
  readonly #rng: Rng;
  readonly #plan: WalkPlan;
  readonly #venue: WalkExchange;
  readonly #externalTrader: ExternalTrader;
  readonly #checks: WalkChecks;
  readonly #traderOptions: Parameters<typeof engineOn>[1];
  #journal: readonly Uint8Array[] = [];
  #engineRun: EngineRun | undefined;
  #tradesUntil = Number.POSITIVE_INFINITY;

  constructor(seed: number) {
    const rng = new Rng(seed);
    const plan = planOf(rng);
    this.#rng = rng;
    this.#plan = plan;
    this.#venue = new WalkExchange(this.#schedule, rng, plan);
    this.#externalTrader = new ExternalTrader(this.#venue, rng);
    this.#checks = new WalkChecks(this.#venue);
    this.#traderOptions = {
      seed,
      gate: plan.gate,
      activity: plan.activity,
      until: () => this.#tradesUntil,
    };
    this.#schedule.afterEach = () => {
      this.#venue.recordView();
      this.#checks.recordExternalChanges();
    };
  }

  get plan(): WalkPlan {
    return this.#plan;
  }

  /** @throws Error naming the property that a step breaks */
  run(): void {
    const { busyMs, externalTrades, commands, crashes } = this.#plan;
    const scheduleTimes = (times: number, run: () => void): void => {
      for (let time = 0; time < times; time += 1)
        this.#schedule.at(this.#rng.between(2_000, busyMs), run);
    };
    this.#start();
    this.#candles(0);
    this.#seconds(0);
    scheduleTimes(externalTrades, () => {
      this.#externalTrader.changePosition();
    });
    scheduleTimes(2 * externalTrades, () => {
      this.#externalTrader.fillPart();
    });
    scheduleTimes(commands, () => {
      this.#engineRun?.handle(this.#externalTrader.command());
    });
    scheduleTimes(crashes, () => {
      this.#crash();
    });
    this.#schedule.runUntil(busyMs);
    this.#stopFaults();
    this.#flatten();
    this.#end();
  }

  // --- lives ---------------------------------------------------------------------------------------

  #start(): void {
    const before = this.#journal;
    const engineRun: EngineRun = new EngineRun({
      schedule: this.#schedule,
      venue: this.#venue,
      permitDelayMs: () => this.#rng.between(0, MAX_PERMIT_MS),
      build: (effects) => engineOn(before, this.#traderOptions, effects),
      onRecord: (record) => {
        this.#checks.journaled(record);
      },
      onSend: () => undefined,
      onStep: () => {
        this.#checks.checkPositions(engineRun.engine);
      },
    });
    this.#engineRun = engineRun;
    this.#checks.attach(engineRun.engine);
    const instruments = LISTINGS.map(({ instrument }) => instrument);
    engineRun.handle({ kind: 'instruments', instruments });
    const openTime = Math.floor(this.#venue.venueTime / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
    for (const symbol of TRADED_SYMBOLS) this.#emitCandle(symbol, openTime, false);
    this.#emitTickers();
    engineRun.poll();
  }

  #crash(): void {
    const engineRun = this.#engineRun;
    if (engineRun?.alive !== true) return;
    this.#end();
    this.#schedule.after(this.#rng.pick([100, 2_000, 20_000]), () => {
      this.#start();
    });
  }

  /** What of its journal was written is what the next life finds; some sessions are run again. */
  #end(): void {
    const engineRun = this.#engineRun;
    if (engineRun?.alive !== true) return;
    engineRun.end();
    const before = this.#journal;
    if (this.#rng.bool(0.2)) this.#replay(engineRun, before);
    const durableCount = this.#rng.between(engineRun.durable, engineRun.records.length);
    this.#journal = [...before, ...engineRun.records.slice(0, durableCount)];
    if (this.#plan.compacts && this.#rng.bool(0.7)) this.#compact();
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
  #replay({ events, records, recordsAfter }: EngineRun, before: readonly Uint8Array[]): void {
    const isCut = this.#rng.bool(0.5);
    const last = isCut ? this.#rng.between(0, events.length - 1) : events.length - 1;
    const explained = recordsAfter[last] ?? 0;
    const mark = encodeJournalRecord({ type: 'rescue', venueTime: START_MS, cause: 'no room' });
    const own = isCut
      ? [...records.slice(0, explained), mark, ...records.slice(explained)]
      : records;
    const sink = new ReplaySink(own);
    const engine = engineOn(before, this.#traderOptions, sink);
    const { identical, difference } = sink.run(engine, events.slice(0, last + 1));
    if (!identical)
      throw new Error(`P7: a session runs another way: ${JSON.stringify(difference)}`);
  }

  // --- market --------------------------------------------------------------------------------------

  /** Closed candles, one venue minute after the other. */
  #candles(count: number): void {
    const openTime = START_MS + count * MINUTE_MS;
    const closesAt = (count + 1) * MINUTE_MS;
    this.#schedule.at(closesAt + this.#rng.between(10, 80), () => {
      for (const symbol of TRADED_SYMBOLS) this.#emitCandle(symbol, openTime, true);
      this.#candles(count + 1);
    });
  }

  #emitCandle(symbol: string, openTime: number, live: boolean): void {
    const candles = [this.#candle(symbol, openTime)];
    this.#engineRun?.handle({ kind: 'candles', symbol, interval: '1m', candles, live });
  }

  #candle(symbol: string, openTime: number): Candle {
    const price = this.#venue.last(symbol) / 1e8;
    return { openTime, open: price, high: price, low: price, close: price, volume: 1 };
  }

  /** Every second each symbol has traded; every other one its ticker comes. */
  #seconds(count: number): void {
    this.#schedule.after(SECOND_MS, () => {
      const openTime = Math.floor(this.#venue.venueTime / SECOND_MS) * SECOND_MS - SECOND_MS;
      for (const symbol of TRADED_SYMBOLS) {
        const candle = this.#candle(symbol, openTime);
        this.#engineRun?.handle({ kind: 'seconds', symbol, price: 'last', candle });
      }
      if (count % 2 === 0) this.#emitTickers();
      this.#seconds(count + 1);
    });
  }

  #emitTickers(): void {
    const rows = TRADED_SYMBOLS.map((symbol) => {
      const last = this.#venue.last(symbol) / 1e8;
      return { symbol, last, mark: last };
    });
    this.#engineRun?.handle({ kind: 'tickers', rows });
  }

  // --- the end -------------------------------------------------------------------------------------

  /** Faults stop, and nothing new is wanted: all must come to its end. */
  #stopFaults(): void {
    this.#venue.quiet = true;
    this.#tradesUntil = this.#venue.venueTime + 1;
    if (this.#engineRun?.alive !== true) this.#schedule.runUntil(this.#schedule.now + 20_000);
    const from = this.#schedule.now;
    for (;;) {
      this.#schedule.runUntil(this.#schedule.now + CHECK_INTERVAL_MS);
      const passed = this.#schedule.now - from;
      if (passed > MAX_QUIET_MS) break;
      if (passed > QUIET_MS && this.#checks.isDecided(this.#engine)) break;
    }
    this.#checks.checkEnd(this.#engine);
  }

  #flatten(): void {
    if (!this.#plan.flattens) return;
    const command = { kind: 'stop', policy: 'flatten' } as const;
    this.#engineRun?.handle({ kind: 'command', commandId: 'the end', command });
    this.#schedule.runUntil(this.#schedule.now + FLAT_MS);
    this.#checks.checkFlat(this.#engine);
  }

  get #engine(): Engine {
    const engine = this.#engineRun?.engine;
    if (engine === undefined) throw new Error('a walk has a life');
    return engine;
  }
}
