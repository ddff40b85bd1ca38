import type { ChargedFees } from '../bot/charged-fees.js';
import {
  add,
  fixed,
  multiply,
  absolute,
  numberFromFixed,
  proportion,
  sign,
  type Amount,
  type Price,
  type Quantity,
  type Ratio,
  type Usdt,
} from '../../core/fixed/fixed.js';
import { sideSign, type Side } from '../../core/order.js';
import type { Currency } from '../../core/currency.js';
import type { BookedTrade } from '../../engine/account/trade-results.js';
import type { Engine } from '../../engine/engine.js';
import { RoundTripTracker, type RoundTrip, type RoundTripFill } from '../../report/round-trips.js';

const NONE = fixed<'USDT'>(0) as Amount;

/** Newest fills of a session that stay for its report, 0.2 kB each. The journal and the ledger have all. */
export const MAX_FILLS = 10_000;
/** Part of them that leaves at once. */
const LEAVING_SHARE = 0.1;

/** A class, since each object of a spread would have a hidden shape of its own: three times its size. */
class SessionFill implements Omit<RoundTripFill, 'fee'> {
  readonly symbol: string;
  readonly currency: Currency;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly price: Price;
  /** ms UTC at the venue. */
  readonly time: number;
  readonly notional: Usdt;
  readonly realisedPnl?: Amount;
  readonly reason?: NonNullable<RoundTripFill['reason']>;

  constructor(
    { symbol, currency, side, quantity, price }: Omit<BookedTrade, 'realised'>,
    time: number,
    closing: Pick<RoundTripFill, 'realisedPnl' | 'reason'> = {},
  ) {
    this.symbol = symbol;
    this.currency = currency;
    this.side = side;
    this.quantity = quantity;
    this.price = price;
    this.time = time;
    this.notional = multiply(quantity, price);
    if (closing.realisedPnl !== undefined) this.realisedPnl = closing.realisedPnl;
    if (closing.reason !== undefined) this.reason = closing.reason;
  }
}

/** The trades of one session, in the order of the engine: the newest `MAX_FILLS` fills. */
export class SessionTrades {
  readonly #engine: Engine;
  readonly #maxFills: number;
  readonly #hasHeld: boolean;
  readonly #fills: SessionFill[] = [];
  /** Before the first of them. */
  readonly #before = new RoundTripTracker();
  /** Up to now. */
  readonly #live: RoundTripTracker;
  #count = 0;
  #notional: Usdt = fixed(0);

  /**
   * Positions that are open now count as entered now, at their entry price and without a fee.
   * @param onClosed called with each round trip as it closes, without its fees
   */
  constructor(
    engine: Engine,
    onClosed: (trade: RoundTrip) => void = () => undefined,
    maxFills = MAX_FILLS,
  ) {
    this.#engine = engine;
    this.#maxFills = maxFills;
    const held = heldPositions(engine);
    this.#hasHeld = held.length > 0;
    for (const fill of held) this.#before.fill({ ...fill, fee: NONE });
    this.#live = this.#before.continued();
    engine.watchTrades((trade) => {
      const fill = this.#fillOf(trade);
      if (fill === undefined) return;
      this.#add(fill);
      const closed = this.#live.fill({ ...fill, fee: NONE });
      this.#live.forgetClosed();
      if (closed !== undefined) onClosed(closed);
    });
  }

  /** No position was open at the start, and every fill since is here. */
  get isWhole(): boolean {
    return !this.#hasHeld && this.leftCount === 0;
  }

  /** Fills of the session. */
  get count(): number {
    return this.#count;
  }

  /** The oldest of them, which are no longer here. */
  get leftCount(): number {
    return this.#count - this.#fills.length;
  }

  /** Round trips; each fill bears a share of the charged fees by its value. */
  roundTrips(fees: ChargedFees | undefined): RoundTripTracker {
    const tracker = this.#before.continued();
    const total = this.#notional;
    for (const fill of this.#fills) {
      const fee =
        fees === undefined || total === 0 ? NONE : proportion(fees.trading, fill.notional, total);
      tracker.fill({ ...fill, fee });
    }
    return tracker;
  }

  /** Symbols whose open quantity is another than that of their trades: a cause outside changed them. */
  incomplete(tracker: RoundTripTracker): readonly string[] {
    const traded = new Map<string, number>();
    for (const { symbol, side, quantity } of tracker.openTrades)
      traded.set(symbol, numberFromFixed(quantity) * (side === 'long' ? 1 : -1));
    const { currency, positions, series } = this.#engine;
    return [...series.symbols].filter(
      (symbol) =>
        numberFromFixed(positions.quantity(symbol, currency)) !== (traded.get(symbol) ?? 0),
    );
  }

  #add(fill: SessionFill): void {
    this.#count += 1;
    this.#notional = add(this.#notional, fill.notional);
    this.#fills.push(fill);
    if (this.#fills.length <= this.#maxFills) return;
    const leaving = Math.ceil(this.#maxFills * LEAVING_SHARE);
    for (const old of this.#fills.splice(0, leaving)) this.#before.fill({ ...old, fee: NONE });
    this.#before.forgetClosed();
  }

  #fillOf(trade: BookedTrade): SessionFill | undefined {
    const { realised, reason } = trade;
    const { facts, currency } = this.#engine;
    const booked = inCurrency(realised, currency === 'USDT' ? 'usdt' : facts.hedgeRate());
    if (trade.currency !== currency || booked === undefined) return undefined;
    const held = this.#engine.positions.quantity(trade.symbol, currency);
    const closes = held !== 0 && sign(held) !== sideSign(trade.side);
    return new SessionFill(trade, facts.venueTime, {
      ...(closes && { realisedPnl: booked }),
      ...(reason !== undefined && { reason }),
    });
  }
}

/** undefined: the rate of INR is not known yet. */
const inCurrency = (amount: Usdt, rate: Ratio | 'usdt' | undefined): Amount | undefined =>
  rate === 'usdt' ? (amount as Amount) : rate && multiply(amount, rate);

function heldPositions({ positions, facts, currency }: Engine): readonly SessionFill[] {
  return [...positions.openPositions()].flatMap((position) => {
    const { symbol, quantity } = position;
    const price = positions.entryPrice(symbol, position.currency) ?? facts.lastPrice(symbol);
    if (position.currency !== currency || price === undefined) return [];
    const side = quantity > 0 ? 'buy' : 'sell';
    const trade = { symbol, currency, side, quantity: absolute(quantity), price } as const;
    return [new SessionFill(trade, facts.venueTime)];
  });
}
