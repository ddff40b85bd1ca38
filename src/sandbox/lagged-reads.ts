import type { CloseReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type {
  ExchangeEvent,
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../exchange/simulated-exchange.js';

/** No read lags further behind; older versions are forgotten. */
const LONGEST_LAG_MS = 600_000;
const SWEEP_EVERY = 1_000;

interface Version<T> {
  /** Monotonic ms; −∞ for what was there before anybody listened. */
  readonly atMs: number;
  /** undefined: it was not there. */
  readonly value: T | undefined;
}

/**
 * The exchange as it was some real ms ago, for reads that lag behind writes (the reliability notes'
 * Q29). Orders, positions and both histories lag; wallets and settings do not.
 */
export interface LaggedReads {
  /** The exchange itself, but for reads inside `during`. */
  readonly exchange: SimulatedExchange;
  /** Begins to remember versions: nothing lags that changed before. */
  arm(): void;
  /** What `read` reads of the exchange is `lagMs` old. */
  during<T>(lagMs: number, read: () => T): T;
}

export function createLaggedReads(
  exchange: SimulatedExchange,
  monotonicMs: () => number,
): LaggedReads {
  const past = new Past(exchange, monotonicMs);
  let atMs: number | undefined;

  const lagging: Partial<SimulatedExchange> = {
    order: (ref) => past.order(exchange.order(ref), atMs),
    openOrders: (currency, most, untilMs) =>
      atMs === undefined
        ? exchange.openOrders(currency, most, untilMs)
        : pageOf(past.openOrders(currency, atMs), most, untilMs),
    orderHistory: (currency, most, untilMs) =>
      atMs === undefined
        ? exchange.orderHistory(currency, most, untilMs)
        : pageOf(past.orderHistory(currency, atMs), most, untilMs),
    positions: (currency) => past.positions(currency, atMs),
    positionHistory: (currency) => past.closes(currency, atMs),
  };
  const view = Object.create(exchange) as SimulatedExchange;
  return {
    exchange: delegate(view, exchange, lagging),
    arm() {
      past.arm();
    },
    during(lagMs, read) {
      if (lagMs <= 0) return read();
      atMs = monotonicMs() - Math.min(lagMs, LONGEST_LAG_MS);
      try {
        return read();
      } finally {
        atMs = undefined;
      }
    },
  };
}

/** Every member of `target`, bound to it, but for those of `instead`. */
function delegate(
  view: SimulatedExchange,
  target: SimulatedExchange,
  instead: Partial<SimulatedExchange>,
): SimulatedExchange {
  const bound = new Map<PropertyKey, unknown>(Object.entries(instead));
  return new Proxy(view, {
    get(_view, key) {
      const known = bound.get(key);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      const method: unknown = member.bind(target);
      bound.set(key, method);
      return method;
    },
  });
}

/** What changed lately, and from what. */
class Past {
  readonly #exchange: SimulatedExchange;
  readonly #monotonicMs: () => number;
  readonly #orders = new Map<string, Version<ExchangeOrder>[]>();
  /** By symbol and currency. */
  readonly #positions = new Map<string, Version<ExchangePosition>[]>();
  readonly #closedAt = new Map<string, number>();
  #isArmed = false;
  #events = 0;

  constructor(exchange: SimulatedExchange, monotonicMs: () => number) {
    this.#exchange = exchange;
    this.#monotonicMs = monotonicMs;
  }

  arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    for (const currency of ['USDT', 'INR'] as const) {
      for (const order of this.#exchange.openOrders(currency)) {
        this.#orders.set(order.orderId, [{ atMs: -Infinity, value: order }]);
      }
      for (const position of this.#exchange.positions(currency)) {
        this.#positions.set(keyOf(position), [{ atMs: -Infinity, value: position }]);
      }
    }
    this.#exchange.listen((event) => {
      this.#remember(event);
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
      .filter((order) => order.currency === currency && !isOver(order))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /** What ended since is not in it yet; whether it holds open orders at all is the exchange's answer. */
  orderHistory(currency: Currency, atMs: number): readonly ExchangeOrder[] {
    return this.#exchange
      .orderHistory(currency)
      .map((now) => {
        const then = this.order(now, atMs);
        const endedSince = isOver(now) && then !== undefined && !isOver(then);
        return endedSince ? undefined : then;
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

  #remember(event: ExchangeEvent): void {
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
    if (this.#events % SWEEP_EVERY === 0) this.#forget(atMs - LONGEST_LAG_MS);
  }

  /** What has not changed since is as it is now, and what the exchange forgot is gone here too. */
  #forget(beforeMs: number): void {
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

/** The word need not say so: what is left of a partial fill can stay PARTIAL_FILLED (quirk Q1). */
const isOver = ({ endedAt }: ExchangeOrder): boolean => endedAt !== undefined;

const keyOf = ({ symbol, currency }: { symbol: string; currency: Currency }): string =>
  `${symbol} ${currency}`;

function push<T>(versionsOf: Map<string, Version<T>[]>, key: string, version: Version<T>): void {
  const versions = versionsOf.get(key);
  if (versions === undefined) versionsOf.set(key, [version]);
  else versions.push(version);
}

/** Of each thing the version of that time stays, if it changed since, and what came after. */
function dropOlder<T>(versionsOf: Map<string, Version<T>[]>, beforeMs: number): void {
  for (const [key, versions] of versionsOf) {
    const standing = versions.findLastIndex((one) => one.atMs < beforeMs);
    if (standing === versions.length - 1) versionsOf.delete(key);
    else if (standing > 0) versions.splice(0, standing);
  }
}

const pageOf = (
  orders: readonly ExchangeOrder[],
  most = Infinity,
  untilMs = Infinity,
): readonly ExchangeOrder[] => orders.filter((order) => order.createdAt <= untilMs).slice(0, most);

/** The version of a time; `now` when nothing changed lately. */
function versionAt<T>(
  versions: readonly Version<T>[] | undefined,
  atMs: number,
  now: T | undefined,
): T | undefined {
  return versions === undefined ? now : versions.findLast((one) => one.atMs <= atMs)?.value;
}
