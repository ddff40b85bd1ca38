import type { CloseReport } from '../core/account.js';
import { numberFromFixed } from '../core/fixed/fixed.js';
import type { OrderIntent } from '../core/intent.js';
import type { OrderType, Side } from '../core/order.js';
import type { ExchangeEvent } from '../exchange/simulated-exchange.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { Intent } from '../strategy/contract/intent.js';
import type { HostObserver } from '../strategy/host/strategy-host.js';
import type { OrderEnd, StrategyPort } from '../strategy/contract/strategy-port.js';

/** The time of an event. */
export interface SimulatedEventTime {
  /**
   * Index of the candle at whose close it was decided, or in which it happened. Candles of several symbols
   * that close together share an index.
   */
  readonly index: number;
  /** Venue ms. */
  readonly time: number;
}

/** A request of the strategy. */
export interface SimulatedIntent extends SimulatedEventTime {
  /** Discriminator of the event. */
  readonly kind: 'intent';
  /** Before sizing and risk checks. */
  readonly intent: Intent;
}

/** An order as submitted to the risk gate: sized, rounded and with its protection. */
export interface SimulatedOrder extends SimulatedEventTime {
  /** Discriminator of the event. */
  readonly kind: 'order';
  /** Symbol of the order. */
  readonly symbol: string;
  /** Buy or sell. */
  readonly side: Side;
  /** Market or limit. */
  readonly type: OrderType;
  /** Base units. */
  readonly quantity: number;
  /** Whether it can only reduce the position. */
  readonly reduceOnly: boolean;
  /** USDT; limit orders only. */
  readonly price?: number;
  /** Trigger of the stop sent with it, USDT; absent without one. */
  readonly stopLoss?: number;
  /** Trigger of the take profit sent with it, USDT; absent without one. */
  readonly takeProfit?: number;
  /** Whether the gate refused it. */
  readonly refused: boolean;
}

/** An execution of an order, a stop, a take profit or a liquidation. */
export interface SimulatedFill extends SimulatedEventTime {
  /** Discriminator of the event. */
  readonly kind: 'fill';
  /** Symbol of the execution. */
  readonly symbol: string;
  /** Buy or sell. */
  readonly side: Side;
  /** Base units, above 0. */
  readonly quantity: number;
  /** USDT, slippage included. */
  readonly price: number;
  /** In the wallet's currency. */
  readonly fee: number;
}

/** A position was closed, fully or in part. */
export interface SimulatedClose extends SimulatedEventTime {
  /** Discriminator of the event. */
  readonly kind: 'close';
  /** Symbol of the position. */
  readonly symbol: string;
  /** `partial`: a part of it remains. */
  readonly how: 'partial' | 'closed' | 'liquidated';
  /** USDT, before fees. */
  readonly pnl: number;
}

/** An order that ended without being filled. */
export interface SimulatedEnd extends SimulatedEventTime {
  /** Discriminator of the event. */
  readonly kind: 'end';
  /** Symbol of the order. */
  readonly symbol: string;
  /** Buy or sell. */
  readonly side: Side;
  /** `rejected`: by the exchange. `dropped`: never sent. */
  readonly end: 'canceled' | 'rejected' | 'dropped';
  /** From the exchange or the engine; absent without one. */
  readonly reason?: string;
}

/** `info`: an explanation of the strategy. `warn`: a refusal. `error`: the strategy threw or ended. */
export interface SimulatedNote extends SimulatedEventTime {
  /** Discriminator of the event. */
  readonly kind: 'note';
  /** The severity. */
  readonly level: 'info' | 'warn' | 'error';
  /** The message. */
  readonly text: string;
}

/** An event of a simulation, discriminated by `kind`. */
export type SimulatedEvent =
  SimulatedIntent | SimulatedOrder | SimulatedFill | SimulatedClose | SimulatedEnd | SimulatedNote;

/** Records a run of one strategy. It observes the strategy's port, its host and the exchange. */
export class SimulationRecorder {
  readonly events: SimulatedEvent[] = [];
  readonly observer: HostObserver;
  readonly #prefix: string;
  readonly #positions = new Map<string, number[]>();
  #port: StrategyPort | undefined;
  /** Index of the last candle that closed; −1 before the first. */
  #index = -1;
  #closedAt = Number.NaN;
  /** The strategy is handling a closed candle, or those of one close time. */
  #isDeciding = false;

  constructor(strategyId: string) {
    this.#prefix = `${strategyId}: `;
    this.observer = {
      onCandle: (_, { symbol }) => {
        this.#onCandle(symbol);
      },
      onIntent: (intent) => {
        this.events.push({ kind: 'intent', ...this.#currentEventTime(), intent: { ...intent } });
      },
      onCandleHandled: () => {
        this.#isDeciding = false;
      },
    };
  }

  /** Signed base units at the close of each candle of the symbol. */
  positionsOf(symbol: string): readonly number[] {
    return this.#positions.get(symbol) ?? [];
  }

  /** The port of the strategy, recorded. */
  wrapPort(port: StrategyPort): StrategyPort {
    this.#port = port;
    return intercept(port, {
      submit: (intent: OrderIntent) => {
        const at = this.events.length;
        const eventTime = this.#currentEventTime();
        const verdict = port.submit(intent);
        this.events.splice(at, 0, orderOf(intent, eventTime, verdict === 'refused'));
        return verdict;
      },
      note: (level, text) => {
        port.note(level, text);
        const own = text.startsWith(this.#prefix) ? text.slice(this.#prefix.length) : text;
        this.events.push({ kind: 'note', ...this.#currentEventTime(), level, text: own });
      },
    });
  }

  /** The strategy's host, recorded. */
  wrapHost(host: StrategyHost): StrategyHost {
    return intercept(host, {
      onOrderEnded: (ended: OrderEnd) => {
        if (ended.end !== 'filled') this.#recordEnd(ended, ended.end);
        host.onOrderEnded(ended);
      },
      onSyncedCandles: (closedAt: number, live: boolean) => {
        this.#isDeciding = true;
        host.onSyncedCandles(closedAt, live);
        this.#isDeciding = false;
      },
    });
  }

  /** Call for each event of the exchange. */
  readonly onExchangeEvent = (event: ExchangeEvent): void => {
    if (event.kind === 'fill') {
      const { order, execution } = event;
      this.events.push({
        kind: 'fill',
        ...this.#nextEventTime(),
        symbol: order.symbol,
        side: order.side ?? 'buy',
        quantity: numberFromFixed(execution.quantity),
        price: numberFromFixed(execution.price),
        fee: numberFromFixed(execution.fee),
      });
    } else if (event.kind === 'close') this.#recordClose(event.close);
  };

  #onCandle(symbol: string): void {
    const { venueTime } = this.#requirePort();
    if (venueTime !== this.#closedAt) this.#index += 1;
    this.#closedAt = venueTime;
    this.#isDeciding = true;
    const positions = this.#positions.get(symbol) ?? [];
    positions.push(numberFromFixed(this.#requirePort().position(symbol)));
    this.#positions.set(symbol, positions);
  }

  /** A close event follows the fill that caused it, and has the side that a stop's fill lacks. */
  #recordClose(close: CloseReport): void {
    const last = this.events.at(-1);
    if (last?.kind === 'fill') {
      this.events[this.events.length - 1] = {
        ...last,
        side: close.side === 'long' ? 'sell' : 'buy',
      };
    }
    const { symbol, kind: how, pnl } = close;
    this.events.push({
      kind: 'close',
      ...this.#nextEventTime(),
      symbol,
      how,
      pnl: numberFromFixed(pnl),
    });
  }

  #recordEnd({ intent, reason }: OrderEnd, end: SimulatedEnd['end']): void {
    const { symbol, side } = intent.terms;
    const why = reason === undefined ? {} : { reason };
    this.events.push({ kind: 'end', ...this.#nextEventTime(), symbol, side, end, ...why });
  }

  #requirePort(): StrategyPort {
    if (this.#port === undefined) throw new TypeError('The recorder has no port yet');
    return this.#port;
  }

  #currentEventTime(): SimulatedEventTime {
    return this.#isDeciding
      ? { ...this.#nextEventTime(), index: this.#index }
      : this.#nextEventTime();
  }

  /** In the candle after the last closed one, because nothing trades between two candles. */
  #nextEventTime(): SimulatedEventTime {
    return { index: this.#index + 1, time: this.#port?.venueTime ?? 0 };
  }
}

/** The object with some methods replaced. All other properties pass through, also later ones. */
export function intercept<T extends object>(object: T, methods: Partial<T>): T {
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
  eventTime: SimulatedEventTime,
  refused: boolean,
): SimulatedOrder {
  const { symbol, side, type, reduceOnly, price, stopLoss, takeProfit } = terms;
  return {
    kind: 'order',
    ...eventTime,
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
