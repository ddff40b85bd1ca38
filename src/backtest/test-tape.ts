import type { CloseReport } from '../core/account.js';
import { numberFromFixed } from '../core/fixed.js';
import type { OrderIntent } from '../core/intent.js';
import type { OrderType, Side } from '../core/order.js';
import type { ExchangeEvent } from '../exchange/simulated-exchange.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { Intent } from '../strategy/intent.js';
import type { HostWatch } from '../strategy/host/strategy-host.js';
import type { OrderEnd, StrategyWorld } from '../strategy/world.js';

/** When something happened. */
export interface SimulatedMoment {
  /**
   * Index of the candle at whose close it was decided, or in which it happened. With several symbols
   * candles that close together share an index.
   */
  readonly index: number;
  /** Venue ms. */
  readonly time: number;
}

/** What the strategy asked for, as it said it. */
export interface SimulatedIntent extends SimulatedMoment {
  /** Which event it is. */
  readonly kind: 'intent';
  /** Not sized, not judged. */
  readonly intent: Intent;
}

/** An order given to the gate: sized, rounded and with its protection. */
export interface SimulatedOrder extends SimulatedMoment {
  /** Which event it is. */
  readonly kind: 'order';
  /** What it is to trade. */
  readonly symbol: string;
  /** Which way. */
  readonly side: Side;
  /** How. */
  readonly type: OrderType;
  /** Base units. */
  readonly quantity: number;
  /** Whether it can only make the position smaller. */
  readonly reduceOnly: boolean;
  /** USDT; limit orders only. */
  readonly price?: number;
  /** Trigger of the stop that is sent with it, USDT; absent where there is none. */
  readonly stopLoss?: number;
  /** Trigger of the target that is sent with it, USDT; absent where there is none. */
  readonly takeProfit?: number;
  /** Whether the gate refused it. */
  readonly refused: boolean;
}

/** An execution: of an order, or of the stop, target or liquidation that closed a position. */
export interface SimulatedFill extends SimulatedMoment {
  /** Which event it is. */
  readonly kind: 'fill';
  /** What was traded. */
  readonly symbol: string;
  /** Which way. */
  readonly side: Side;
  /** Base units, above 0. */
  readonly quantity: number;
  /** USDT, slippage included. */
  readonly price: number;
  /** In the wallet's currency. */
  readonly fee: number;
}

/** A position, or a part of one, was closed, by whatever. */
export interface SimulatedClose extends SimulatedMoment {
  /** Which event it is. */
  readonly kind: 'close';
  /** Whose position. */
  readonly symbol: string;
  /** `partial`: some of it is left. */
  readonly how: 'partial' | 'closed' | 'liquidated';
  /** USDT, before fees. */
  readonly pnl: number;
}

/** An order that ended without being filled. */
export interface SimulatedEnd extends SimulatedMoment {
  /** Which event it is. */
  readonly kind: 'end';
  /** What it was to trade. */
  readonly symbol: string;
  /** Which way. */
  readonly side: Side;
  /** `rejected` by the exchange; `dropped`: it never left. */
  readonly end: 'canceled' | 'rejected' | 'dropped';
  /** In the exchange's or our words; absent where there is nothing to say. */
  readonly reason?: string;
}

/** `info`: what the strategy explained. `warn`: a refusal. `error`: it threw, or ended. */
export interface SimulatedNote extends SimulatedMoment {
  /** Which event it is. */
  readonly kind: 'note';
  /** What sort of note. */
  readonly level: 'info' | 'warn' | 'error';
  /** In words. */
  readonly text: string;
}

/** Something that happened in a simulation; `kind` tells what. */
export type SimulatedEvent =
  SimulatedIntent | SimulatedOrder | SimulatedFill | SimulatedClose | SimulatedEnd | SimulatedNote;

/** Writes down a run of one strategy: it listens at its world, its host and the exchange. */
export class TestTape {
  readonly events: SimulatedEvent[] = [];
  readonly watch: HostWatch;
  readonly #prefix: string;
  readonly #positions = new Map<string, number[]>();
  #world: StrategyWorld | undefined;
  /** Index of the last candle that closed; −1 before the first. */
  #index = -1;
  #closedAt = Number.NaN;
  /** The strategy is being told of a candle that has closed. */
  #deciding = false;

  constructor(strategyId: string) {
    this.#prefix = `${strategyId}: `;
    this.watch = {
      candle: (_, { symbol }) => {
        this.#candle(symbol);
      },
      asked: (intent) => {
        this.events.push({ kind: 'intent', ...this.#now(), intent: { ...intent } });
      },
      done: () => {
        this.#deciding = false;
      },
    };
  }

  /** Signed base units at the close of each candle of the symbol. */
  positionsOf(symbol: string): readonly number[] {
    return this.#positions.get(symbol) ?? [];
  }

  /** The world of the strategy, overheard. */
  over(world: StrategyWorld): StrategyWorld {
    this.#world = world;
    return overheard(world, {
      submit: (intent: OrderIntent) => {
        const at = this.events.length;
        const moment = this.#now();
        const verdict = world.submit(intent);
        this.events.splice(at, 0, orderOf(intent, moment, verdict === 'refused'));
        return verdict;
      },
      note: (level, text) => {
        world.note(level, text);
        const own = text.startsWith(this.#prefix) ? text.slice(this.#prefix.length) : text;
        this.events.push({ kind: 'note', ...this.#now(), level, text: own });
      },
    });
  }

  /** The strategy's host, overheard. */
  at(host: StrategyHost): StrategyHost {
    return overheard(host, {
      orderEnded: (ended: OrderEnd) => {
        if (ended.end !== 'filled') this.#ended(ended, ended.end);
        host.orderEnded(ended);
      },
    });
  }

  /** What the exchange tells. */
  readonly heard = (event: ExchangeEvent): void => {
    if (event.kind === 'fill') {
      const { order, execution } = event;
      this.events.push({
        kind: 'fill',
        ...this.#later(),
        symbol: order.symbol,
        side: order.side ?? 'buy',
        quantity: numberFromFixed(execution.quantity),
        price: numberFromFixed(execution.price),
        fee: numberFromFixed(execution.fee),
      });
    } else if (event.kind === 'close') this.#closed(event.close);
  };

  #candle(symbol: string): void {
    const { venueTime } = this.#seen();
    if (venueTime !== this.#closedAt) this.#index += 1;
    this.#closedAt = venueTime;
    this.#deciding = true;
    const positions = this.#positions.get(symbol) ?? [];
    positions.push(numberFromFixed(this.#seen().position(symbol)));
    this.#positions.set(symbol, positions);
  }

  /** A close is told after the fill that caused it, and knows the side that a stop does not tell. */
  #closed(close: CloseReport): void {
    const last = this.events.at(-1);
    if (last?.kind === 'fill') {
      this.events[this.events.length - 1] = {
        ...last,
        side: close.side === 'long' ? 'sell' : 'buy',
      };
    }
    const { symbol, kind: how, pnl } = close;
    this.events.push({ kind: 'close', ...this.#later(), symbol, how, pnl: numberFromFixed(pnl) });
  }

  #ended({ intent, reason }: OrderEnd, end: SimulatedEnd['end']): void {
    const { symbol, side } = intent.terms;
    const why = reason === undefined ? {} : { reason };
    this.events.push({ kind: 'end', ...this.#later(), symbol, side, end, ...why });
  }

  #seen(): StrategyWorld {
    if (this.#world === undefined) throw new TypeError('The tape hears no world yet');
    return this.#world;
  }

  #now(): SimulatedMoment {
    return this.#deciding ? { ...this.#later(), index: this.#index } : this.#later();
  }

  /** In the candle after the last one that closed: nothing trades between two. */
  #later(): SimulatedMoment {
    return { index: this.#index + 1, time: this.#world?.venueTime ?? 0 };
  }
}

/** The object, but for the methods given; whatever else it has or will have goes through to it. */
export function overheard<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      const own: unknown = Reflect.get(methods, key);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function orderOf(
  { terms }: OrderIntent,
  moment: SimulatedMoment,
  refused: boolean,
): SimulatedOrder {
  const { symbol, side, type, reduceOnly, price, stopLoss, takeProfit } = terms;
  return {
    kind: 'order',
    ...moment,
    symbol,
    side,
    type,
    quantity: numberFromFixed(terms.quantity),
    reduceOnly,
    ...(price !== undefined && { price: numberFromFixed(price) }),
    ...(stopLoss !== undefined && { stopLoss: numberFromFixed(stopLoss) }),
    ...(takeProfit !== undefined && { takeProfit: numberFromFixed(takeProfit) }),
    refused,
  };
}
