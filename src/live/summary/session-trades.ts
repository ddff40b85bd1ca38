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
  type Ratio,
  type Usdt,
} from '../../core/fixed/fixed.js';
import { sideSign } from '../../core/order.js';
import type { BookedTrade } from '../../engine/account/trade-results.js';
import type { Engine } from '../../engine/engine.js';
import { RoundTripTracker, type RoundTrip, type RoundTripFill } from '../../report/round-trips.js';

const NONE = fixed<'USDT'>(0) as Amount;

type SessionFill = Omit<RoundTripFill, 'fee'> & { readonly notional: Usdt };

/** The trades of one session, in the order of the engine. */
export class SessionTrades {
  readonly #engine: Engine;
  readonly #held: readonly SessionFill[];
  readonly #fills: SessionFill[] = [];
  readonly #live = new RoundTripTracker();

  /**
   * Positions that are open now count as entered now, at their entry price and without a fee.
   * @param onClosed called with each round trip as it closes, without its fees
   */
  constructor(engine: Engine, onClosed: (trade: RoundTrip) => void = () => undefined) {
    this.#engine = engine;
    this.#held = heldPositions(engine);
    for (const fill of this.#held) this.#live.fill({ ...fill, fee: NONE });
    engine.watchTrades((trade) => {
      const fill = this.#fillOf(trade);
      if (fill === undefined) return;
      this.#fills.push(fill);
      const closed = this.#live.fill({ ...fill, fee: NONE });
      if (closed !== undefined) onClosed(closed);
    });
  }

  /** Positions were open at the start. */
  get hasHeld(): boolean {
    return this.#held.length > 0;
  }

  get count(): number {
    return this.#fills.length;
  }

  /** Round trips; each fill bears a share of the charged fees by its value. */
  roundTrips(fees: ChargedFees | undefined): RoundTripTracker {
    const tracker = new RoundTripTracker();
    for (const fill of this.#held) tracker.fill({ ...fill, fee: NONE });
    const total = this.#fills.reduce((sum, { notional }) => add(sum, notional), NONE as Usdt);
    for (const { notional, ...fill } of this.#fills) {
      const fee =
        fees === undefined || total === 0 ? NONE : proportion(fees.trading, notional, total);
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

  #fillOf({ realised, reason, ...trade }: BookedTrade): SessionFill | undefined {
    const { facts, currency } = this.#engine;
    const booked = inCurrency(realised, currency === 'USDT' ? 'usdt' : facts.hedgeRate());
    if (trade.currency !== currency || booked === undefined) return undefined;
    const held = this.#engine.positions.quantity(trade.symbol, currency);
    const closes = held !== 0 && sign(held) !== sideSign(trade.side);
    return {
      ...trade,
      time: facts.venueTime,
      notional: multiply(trade.quantity, trade.price),
      ...(closes && { realisedPnl: booked }),
      ...(reason !== undefined && { reason }),
    };
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
    const entered = absolute(quantity);
    const notional = multiply<'USDT'>(entered, price);
    return [{ symbol, currency, side, quantity: entered, price, time: facts.venueTime, notional }];
  });
}
