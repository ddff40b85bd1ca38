import type { Currency } from '../core/currency.js';
import {
  add,
  divide,
  isMore,
  larger,
  smaller,
  subtract,
  withSign,
  ZERO,
  type Price,
  type Quantity,
  type Ratio,
  type Usdt,
} from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderIntent } from '../core/intent.js';
import type { SymbolExposure } from './exposure.js';
import type { GateFacts } from './facts.js';
import type { KillLevel, Mode } from './mode.js';

/** `decide`: the intent comes on top of the exposure. `send`: the exposure already reserves it. */
export type Phase = 'decide' | 'send';

/** The facts of one judgement, read once: every control sees the same, and a text can be made later. */
export interface Evidence {
  readonly intent: OrderIntent;
  readonly phase: Phase;
  /** Reduce-only: it can take risk off, never put it on. */
  readonly exit: boolean;
  /** An exit at the market: the venue bounds it by its own position, and it never rests. */
  readonly marketExit: boolean;
  readonly venueTime: number;
  readonly mode: Mode;
  readonly killLevel: KillLevel | undefined;
  /** Why the symbol may only reduce (R22). */
  readonly halted: string | undefined;
  readonly instrument: Instrument | undefined;
  readonly last: Price | undefined;
  /** Monotonic ms; undefined when never learnt. */
  readonly lastAgeMs: number | undefined;
  readonly mark: Price | undefined;
  readonly markAgeMs: number | undefined;
  readonly ordersAgeMs: number | undefined;
  readonly positionsAgeMs: number | undefined;
  readonly walletAgeMs: number | undefined;
  /** What a unit may be worth when it fills: the limit or the last price, the higher. */
  readonly worstPrice: Price | undefined;
  readonly equityUsdt: Usdt | undefined;
  readonly position: Quantity;
  /**
   * Signed extremes of the position: everything that is open, in flight or unknown landed in the worst
   * way, this intent too. Reductions in flight count toward the other side of flat: after them, what
   * opens there has nothing left to net.
   */
  readonly longest: Quantity;
  readonly shortest: Quantity;
  /** Orders that may rest, this one among them. */
  readonly symbolOrders: number;
  readonly accountOrders: number;
  readonly configuredLeverage: Ratio | undefined;
  readonly leverage: Ratio | undefined;
}

export function readEvidence(intent: OrderIntent, facts: GateFacts, phase: Phase): Evidence {
  const { symbol, currency, side, quantity, reduceOnly, price, type } = intent.terms;
  const exposure = facts.exposure.of(symbol, currency);
  const own = phase === 'decide';
  const opens = own && !reduceOnly;
  const now = facts.monotonic;
  const last = facts.lastPrice(symbol);
  return {
    intent,
    phase,
    exit: reduceOnly,
    marketExit: reduceOnly && type === 'market',
    venueTime: facts.venueTime,
    mode: facts.mode(symbol, currency),
    killLevel: facts.killLevel,
    halted: facts.halted(symbol, currency),
    instrument: facts.instrument(symbol),
    last,
    lastAgeMs: ageAt(now, facts.lastPriceAt(symbol)),
    mark: facts.markPrice(symbol),
    markAgeMs: ageAt(now, facts.markPriceAt(symbol)),
    ordersAgeMs: ageAt(now, facts.ordersAt(currency)),
    positionsAgeMs: ageAt(now, facts.positionsAt(currency)),
    walletAgeMs: ageAt(now, facts.walletAt(currency)),
    worstPrice: last === undefined || price === undefined || isMore(last, price) ? last : price,
    equityUsdt: equityUsdt(currency, facts),
    position: exposure.position,
    longest: add(
      add(exposure.longest, opens && side === 'buy' ? quantity : NONE),
      reduced(exposure, -1),
    ),
    shortest: subtract(
      subtract(exposure.shortest, opens && side === 'sell' ? quantity : NONE),
      reduced(exposure, 1),
    ),
    symbolOrders: exposure.orders + (own ? 1 : 0),
    accountOrders: facts.exposure.orders + (own ? 1 : 0),
    configuredLeverage: facts.configuredLeverage(symbol, currency),
    leverage: facts.leverage(symbol, currency),
  };
}

const NONE = ZERO as Quantity;

/** What reductions in flight can take off a position of this sign: never more than it has. */
const reduced = (exposure: SymbolExposure, sign: 1 | -1): Quantity =>
  smaller(exposure.reducing, larger(NONE, withSign(sign, exposure.position)));

const ageAt = (now: number, at: number | undefined): number | undefined =>
  at === undefined ? undefined : now - at;

/** Equity of a currency's wallet, in USDT; undefined while it or its rate is not known. */
export function equityUsdt(
  currency: Currency,
  facts: Pick<GateFacts, 'equity' | 'hedgeRate'>,
): Usdt | undefined {
  const equity = facts.equity(currency);
  if (equity === undefined || currency === 'USDT') return equity as Usdt | undefined;
  const rate = facts.hedgeRate();
  return rate === undefined || rate <= 0 ? undefined : divide(equity, rate);
}
