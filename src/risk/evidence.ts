import type { Currency } from '../core/currency.js';
import {
  add,
  divide,
  isGreater,
  subtract,
  ZERO,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
  type Usdt,
} from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderIntent } from '../core/intent.js';
import { oppositeSide } from '../core/order.js';
import { BookTotals, NO_BOOKS, type OtherBook } from './book-totals.js';
import type { FundingForecast, GateFacts, PriceJump } from './facts.js';
import type { LossFacts } from './loss/loss-facts.js';
import type { KillLevel, Mode } from './mode.js';
import type { RecentIntents } from './recent-intents.js';

/** `decide`: the intent is added to the exposure. `send`: the exposure already includes it. */
export type Phase = 'decide' | 'send';

/** Facts that only entries need. */
export interface EntryEvidence {
  /** Average entry price of the position; undefined when flat, or not known. */
  readonly entryPrice: Price | undefined;
  readonly others: BookTotals;
  /** Wallet balance + locked, in USDT. */
  readonly walletUsdt: Usdt | undefined;
  /** Best price of our own limit orders on the other side of the order. */
  readonly opposingPrice: Price | undefined;
  readonly priceJump: PriceJump | undefined;
  readonly volatility: Ratio | undefined;
  /** Venue ms; undefined for USDT, and while no rate is known. */
  readonly hedgeRateAgeMs: number | undefined;
  readonly funding: FundingForecast | undefined;
  /** Approved entries of the account within the last venue minute, this one among them. */
  readonly minuteEntries: number;
}

/** The facts of one check, read once, so that all controls and later texts use the same values. */
export interface Evidence {
  readonly intent: OrderIntent;
  readonly phase: Phase;
  /** Reduce-only: it can reduce risk, never add to it. */
  readonly isExit: boolean;
  /** A market exit: the venue bounds it by its own position, and it never rests. */
  readonly isMarketExit: boolean;
  readonly venueTime: number;
  readonly mode: Mode;
  /** The restriction behind the mode. */
  readonly modeCause: string | undefined;
  readonly exitHold: string | undefined;
  readonly killLevel: KillLevel | undefined;
  /** Reason of the symbol's halt (R22): it may only reduce. */
  readonly haltReason: string | undefined;
  readonly instrument: Instrument | undefined;
  readonly last: Price | undefined;
  /** Monotonic ms; undefined when never received. */
  readonly lastAgeMs: number | undefined;
  readonly mark: Price | undefined;
  readonly markAgeMs: number | undefined;
  readonly ordersAgeMs: number | undefined;
  readonly positionsAgeMs: number | undefined;
  readonly walletAgeMs: number | undefined;
  /** Highest price at which a unit may be valued when it fills: the higher of limit and last price. */
  readonly worstPrice: Price | undefined;
  readonly equityUsdt: Usdt | undefined;
  readonly losses: LossFacts | undefined;
  readonly position: Quantity;
  /** The extremes of `SymbolExposure`, with this intent: `maxPosition` ≥ 0 ≥ `minPosition`. */
  readonly maxPosition: Quantity;
  readonly minPosition: Quantity;
  /** Orders that may rest, this one among them. */
  readonly symbolOrders: number;
  readonly accountOrders: number;
  /** Orders of the symbol with an unknown outcome. */
  readonly unknownOrders: number;
  readonly configuredLeverage: Ratio | undefined;
  readonly leverage: Ratio | undefined;
  /** undefined for an exit. */
  readonly entry: EntryEvidence | undefined;
}

/** Venue ms. */
const MINUTE_MS = 60_000;

export function collectEvidence(
  intent: OrderIntent,
  facts: GateFacts,
  phase: Phase,
  recent: Pick<RecentIntents, 'entriesSince'>,
): Evidence {
  const { symbol, currency, side, quantity, reduceOnly, price, type } = intent.terms;
  const exposure = facts.exposure.of(symbol, currency);
  const own = phase === 'decide';
  const opens = own && !reduceOnly;
  const now = facts.monotonic;
  const last = facts.lastPrice(symbol);
  const mode = facts.mode(symbol, currency);
  return {
    intent,
    phase,
    isExit: reduceOnly,
    isMarketExit: reduceOnly && type === 'market',
    venueTime: facts.venueTime,
    mode,
    modeCause: mode === 'TRADING' ? undefined : facts.modeCause(symbol),
    exitHold: facts.exitHold,
    killLevel: facts.killLevel,
    haltReason: facts.haltReason(symbol, currency),
    instrument: facts.instrument(symbol),
    last,
    lastAgeMs: ageAt(now, facts.lastPriceAt(symbol)),
    mark: facts.markPrice(symbol),
    markAgeMs: ageAt(now, facts.markPriceAt(symbol)),
    ordersAgeMs: ageAt(now, facts.ordersAt(currency)),
    positionsAgeMs: ageAt(now, facts.positionsAt(currency)),
    walletAgeMs: ageAt(now, facts.walletAt(currency)),
    worstPrice: last === undefined || price === undefined || isGreater(last, price) ? last : price,
    equityUsdt: equityUsdt(currency, facts),
    losses: facts.losses(currency),
    position: exposure.position,
    maxPosition: add(exposure.maxPosition, opens && side === 'buy' ? quantity : NONE),
    minPosition: subtract(exposure.minPosition, opens && side === 'sell' ? quantity : NONE),
    symbolOrders: exposure.orderCount + (own ? 1 : 0),
    accountOrders: facts.exposure.orderCount + (own ? 1 : 0),
    unknownOrders: exposure.unresolvedIntents,
    configuredLeverage: facts.configuredLeverage(symbol, currency),
    leverage: facts.leverage(symbol, currency),
    entry: reduceOnly ? undefined : entryEvidence(intent, facts, phase, recent),
  };
}

function entryEvidence(
  { terms }: OrderIntent,
  facts: GateFacts,
  phase: Phase,
  recent: Pick<RecentIntents, 'entriesSince'>,
): EntryEvidence {
  const { symbol, currency, side } = terms;
  return {
    entryPrice: facts.entryPrice(symbol, currency),
    others: otherBooks(symbol, currency, facts),
    walletUsdt: usdtOf(facts.walletTotal(currency), currency, facts),
    opposingPrice: facts.exposure.bestPrice(symbol, currency, oppositeSide(side)),
    priceJump: facts.priceJump(symbol),
    volatility: facts.volatility(symbol),
    hedgeRateAgeMs: currency === 'INR' ? ageAt(facts.venueTime, facts.hedgeRateAt()) : undefined,
    funding: facts.funding(symbol),
    minuteEntries: recent.entriesSince(facts.venueTime - MINUTE_MS) + (phase === 'decide' ? 1 : 0),
  };
}

/** The books of a currency without that of one symbol. */
export function otherBooks(
  own: string | undefined,
  currency: Currency,
  facts: Pick<
    GateFacts,
    'exposure' | 'lastPrice' | 'entryPrice' | 'externalOrderPrice' | 'leverage'
  >,
): BookTotals {
  const symbols = facts.exposure.symbols(currency);
  if (symbols.length === 0 || (symbols.length === 1 && symbols[0] === own)) return NO_BOOKS;
  const books: OtherBook[] = [];
  for (const symbol of symbols) {
    if (symbol === own) continue;
    const { maxPosition, minPosition } = facts.exposure.of(symbol, currency);
    books.push({
      symbol,
      maxPosition,
      minPosition,
      price:
        facts.lastPrice(symbol) ??
        facts.entryPrice(symbol, currency) ??
        facts.externalOrderPrice(symbol, currency),
      leverage: facts.leverage(symbol, currency),
    });
  }
  return new BookTotals(books);
}

const NONE = ZERO as Quantity;

const ageAt = (now: number, at: number | undefined): number | undefined =>
  at === undefined ? undefined : now - at;

/** Equity of a currency's wallet, in USDT; undefined while it or its rate is not known. */
export const equityUsdt = (
  currency: Currency,
  facts: Pick<GateFacts, 'equity' | 'hedgeRate'>,
): Usdt | undefined => usdtOf(facts.equity(currency), currency, facts);

/** An amount of a wallet in USDT; undefined while it or the rate is not known. */
export function usdtOf(
  amount: Amount | undefined,
  currency: Currency,
  facts: Pick<GateFacts, 'hedgeRate'>,
): Usdt | undefined {
  if (amount === undefined || currency === 'USDT') return amount as Usdt | undefined;
  const rate = facts.hedgeRate();
  return rate === undefined || rate <= 0 ? undefined : divide(amount, rate);
}
