import type { CloseReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type {
  ExchangeEvent,
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../../exchange/simulated-exchange.js';

/** Largest read lag; older versions are dropped. */
const MAX_LAG_MS = 600_000;
const PRUNE_EVERY = 1_000;

interface Version<T> {
  /** Monotonic ms; −∞ for the version at the start of recording. */
  readonly atMs: number;
  /** undefined: it did not exist. */
  readonly value: T | undefined;
}

/**
 * The exchange as it was some real ms ago, for reads that lag behind writes. Orders, positions and both
 * histories lag; wallets and settings do not.
 */
export interface StaleReads {
  /** The exchange itself, except for reads inside `withLag`. */
  readonly exchange: SimulatedExchange;
  /** Starts recording versions. Earlier changes do not lag. */
  startRecording(): void;
  /** Runs `read` on the exchange as it was `lagMs` real ms ago. */
  withLag<T>(lagMs: number, read: () => T): T;
}

export function createStaleReads(
  exchange: SimulatedExchange,
  monotonicMs: () => number,
): StaleReads {
  const history = new VersionHistory(exchange, monotonicMs);
  let atMs: number | undefined;

  const staleMethods: Partial<SimulatedExchange> = {
    order: (ref) => history.order(exchange.order(ref), atMs),
    openOrders: (currency, limit, untilMs) =>
      atMs === undefined
        ? exchange.openOrders(currency, limit, untilMs)
        : pageOf(history.openOrders(currency, atMs), limit, untilMs),
    orderHistory: (currency, limit, untilMs) =>
      atMs === undefined
        ? exchange.orderHistory(currency, limit, untilMs)
        : pageOf(history.orderHistory(currency, atMs), limit, untilMs),
    positions: (currency) => history.positions(currency, atMs),
    positionHistory: (currency) => history.closes(currency, atMs),
  };
  const view = Object.create(exchange) as SimulatedExchange;
  return {
    exchange: withOverrides(view, exchange, staleMethods),
    startRecording() {
      history.startRecording();
    },
    withLag(lagMs, read) {
      if (lagMs <= 0) return read();
      atMs = monotonicMs() - Math.min(lagMs, MAX_LAG_MS);
      try {
        return read();
      } finally {
        atMs = undefined;
      }
    },
  };
}

/** All members of `target`, bound to it, with some replaced by `overrides`. */
function withOverrides(
  view: SimulatedExchange,
  target: SimulatedExchange,
  overrides: Partial<SimulatedExchange>,
): SimulatedExchange {
  const bound = new Map<PropertyKey, unknown>(Object.entries(overrides));
  return new Proxy(view, {
    get(_view, key) {
      const override = bound.get(key);
      if (override !== undefined) return override;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      const method: unknown = member.bind(target);
      bound.set(key, method);
      return method;
    },
  });
}

/** Recent versions of orders, positions and closes. */
class VersionHistory {
  readonly #exchange: SimulatedExchange;
  readonly #monotonicMs: () => number;
  readonly #orders = new Map<string, Version<ExchangeOrder>[]>();
  /** By symbol and currency. */
  readonly #positions = new Map<string, Version<ExchangePosition>[]>();
  readonly #closedAt = new Map<string, number>();
  #isRecording = false;
  #events = 0;

  constructor(exchange: SimulatedExchange, monotonicMs: () => number) {
    this.#exchange = exchange;
    this.#monotonicMs = monotonicMs;
  }

  startRecording(): void {
    if (this.#isRecording) return;
    this.#isRecording = true;
    for (const currency of ['USDT', 'INR'] as const) {
      for (const order of this.#exchange.openOrders(currency)) {
        this.#orders.set(order.orderId, [{ atMs: -Infinity, value: order }]);
      }
      for (const position of this.#exchange.positions(currency)) {
        this.#positions.set(keyOf(position), [{ atMs: -Infinity, value: position }]);
      }
    }
    this.#exchange.listen((event) => {
      this.#record(event);
    });
  }

  order(now: ExchangeOrder | undefined, atMs: number | undefined): ExchangeOrder | undefined {
    if (now === undefined || atMs === undefined) return now;
    return versionAt(this.#orders.get(now.orderId), atMs, now);
  }

  openOrders(currency: Currency, atMs: number): readonly ExchangeOrder[] {
    const open = this.#exchange.openOrders(currency);
    const rows = open.map((order) => this.order(order, atMs));
    const isOpenNow = new Set(open.map((order) => order.orderId));
    for (const [orderId, versions] of this.#orders) {
      if (!isOpenNow.has(orderId)) rows.push(versionAt(versions, atMs, undefined));
    }
    return rows
      .filter((order) => order !== undefined)
      .filter((order) => order.currency === currency && !isTerminal(order))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Orders that ended after `atMs` are absent. The exchange decides whether open orders are part. */
  orderHistory(currency: Currency, atMs: number): readonly ExchangeOrder[] {
    return this.#exchange
      .orderHistory(currency)
      .map((now) => {
        const then = this.order(now, atMs);
        const hasEndedSince = isTerminal(now) && then !== undefined && !isTerminal(then);
        return hasEndedSince ? undefined : then;
      })
      .filter((order) => order !== undefined);
  }

  positions(currency: Currency, atMs: number | undefined): readonly ExchangePosition[] {
    const open = this.#exchange.positions(currency);
    if (atMs === undefined) return open;
    const rows = open.map((position) =>
      versionAt(this.#positions.get(keyOf(position)), atMs, position),
    );
    const isOpenNow = new Set(open.map(keyOf));
    for (const [key, versions] of this.#positions) {
      if (!isOpenNow.has(key)) rows.push(versionAt(versions, atMs, undefined));
    }
    return rows
      .filter((position) => position !== undefined)
      .filter((position) => position.currency === currency);
  }

  closes(currency: Currency, atMs: number | undefined): readonly CloseReport[] {
    const closes = this.#exchange.positionHistory(currency);
    if (atMs === undefined) return closes;
    return closes.filter((close) => (this.#closedAt.get(close.rowId) ?? -Infinity) <= atMs);
  }

  #record(event: ExchangeEvent): void {
    const atMs = this.#monotonicMs();
    switch (event.kind) {
      case 'order':
      case 'fill':
        push(this.#orders, event.order.orderId, { atMs, value: event.order });
        break;
      case 'position': {
        const { symbol, currency } = event;
        const value = this.#exchange
          .positions(currency)
          .find((position) => position.symbol === symbol);
        push(this.#positions, keyOf(event), { atMs, value });
        break;
      }
      case 'close':
        this.#closedAt.set(event.close.rowId, atMs);
        break;
      default:
        return;
    }
    this.#events += 1;
    if (this.#events % PRUNE_EVERY === 0) this.#prune(atMs - MAX_LAG_MS);
  }

  /** Drops versions too old for any read, and orders that the exchange has evicted. */
  #prune(beforeMs: number): void {
    dropOlder(this.#orders, beforeMs);
    dropOlder(this.#positions, beforeMs);
    for (const orderId of this.#orders.keys()) {
      if (this.#exchange.order({ orderId }) === undefined) this.#orders.delete(orderId);
    }
    for (const [rowId, atMs] of this.#closedAt) {
      if (atMs < beforeMs) this.#closedAt.delete(rowId);
    }
  }
}

/** `status` alone does not show it: a partial fill can stay PARTIAL_FILLED (quirk sticky-partial). */
const isTerminal = ({ endedAt }: ExchangeOrder): boolean => endedAt !== undefined;

const keyOf = ({ symbol, currency }: { symbol: string; currency: Currency }): string =>
  `${symbol} ${currency}`;

function push<T>(versionsOf: Map<string, Version<T>[]>, key: string, version: Version<T>): void {
  const versions = versionsOf.get(key);
  if (versions === undefined) versionsOf.set(key, [version]);
  else versions.push(version);
}

/** Keeps the version valid at `beforeMs` and all later ones; an unchanged entry needs none. */
function dropOlder<T>(versionsOf: Map<string, Version<T>[]>, beforeMs: number): void {
  for (const [key, versions] of versionsOf) {
    const currentIndex = versions.findLastIndex((one) => one.atMs < beforeMs);
    if (currentIndex === versions.length - 1) versionsOf.delete(key);
    else if (currentIndex > 0) versions.splice(0, currentIndex);
  }
}

const pageOf = (
  orders: readonly ExchangeOrder[],
  limit = Infinity,
  untilMs = Infinity,
): readonly ExchangeOrder[] => orders.filter((order) => order.createdAt <= untilMs).slice(0, limit);

/** The version valid at `atMs`; `now` when none is recorded. */
function versionAt<T>(
  versions: readonly Version<T>[] | undefined,
  atMs: number,
  now: T | undefined,
): T | undefined {
  return versions === undefined ? now : versions.findLast((one) => one.atMs <= atMs)?.value;
}
