import type { Candle, CandlePrice } from '../../core/candle.js';
import type { Cause } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import type { StrategyForm } from '../form/form.js';
import type { FundingFact, StrategyWorld } from '../world.js';
import type { EventQueue } from './event-queue.js';
import type { Call, HookCaller } from './hook-caller.js';
import type { Life } from './life.js';
import { ROUNDS, type SeenCandles } from './seen-candles.js';
import { causeOfNow, type CloseOf } from './step.js';

export interface MarketTellerParts {
  /** The strategy's own. */
  readonly interval: Interval;
  readonly world: Pick<StrategyWorld, 'venueTime'>;
  readonly queue: EventQueue;
  readonly form: StrategyForm;
  readonly life: Life;
  readonly calls: HookCaller;
  /** Only of a strategy with durable state. */
  readonly seen: SeenCandles | undefined;
}

/** Tells a strategy what it hears of the market beside its closed candles. */
export class MarketTeller {
  readonly #parts: MarketTellerParts;

  constructor(parts: MarketTellerParts) {
    this.#parts = parts;
  }

  round(closedAt: number, live: boolean): void {
    const { queue, interval, form, life, calls, seen } = this.#parts;
    const cause: Cause = { kind: 'round', interval, closeTime: closedAt };
    const closeOf: CloseOf = (symbol) => form.closeAt(symbol, closedAt);
    queue.handle(() => {
      const isNew = live && life.started && (seen?.takeOn(ROUNDS, closedAt) ?? true);
      const call = { hook: 'onCandles', cause, closeOf, history: !isNew };
      calls.call(call, () => form.round(closedAt));
    });
  }

  revision(symbol: string, candle: Candle): void {
    const { queue, world, form, calls } = this.#parts;
    const key = `revision:${symbol}:${candle.openTime}`;
    queue.handle(() => {
      const call = { hook: 'onRevision', cause: causeOfNow(world, key), symbol };
      calls.call(call, () => form.revision(symbol, { ...candle }));
    });
  }

  second(symbol: string, price: CandlePrice, candle: Candle): void {
    const { form } = this.#parts;
    const cause: Cause = { kind: 'second', symbol, price, openTime: candle.openTime };
    const call = { hook: 'onSecond', cause, symbol };
    this.#call(call, () => form.second(symbol, { ...candle, price }));
  }

  markCandle(symbol: string, candle: Candle): void {
    const { form } = this.#parts;
    const cause: Cause = { kind: 'mark-candle', symbol, openTime: candle.openTime };
    const call = { hook: 'onMarkCandle', cause, symbol };
    this.#call(call, () => form.markCandle(symbol, { ...candle }));
  }

  funding(symbol: string, fact: FundingFact): void {
    const { queue, world, form, calls } = this.#parts;
    const key = `funding:${symbol}:${fact.nextSettlementMs}`;
    queue.handle(() => {
      const call = { hook: 'onFunding', cause: causeOfNow(world, key), symbol };
      calls.fact(call, () => form.funding({ symbol, ...fact }));
    });
  }

  ticker(symbol: string, last: number, mark?: number): void {
    const { world, form } = this.#parts;
    const call = { hook: 'ticker$', cause: causeOfNow(world, `ticker:${symbol}`), symbol };
    this.#call(call, () => form.ticker(symbol, last, mark));
  }

  #call(call: Call, run: () => void): void {
    const { queue, calls } = this.#parts;
    queue.handle(() => calls.call(call, run));
  }
}
