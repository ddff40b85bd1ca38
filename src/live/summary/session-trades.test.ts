import { describe, expect, it } from 'vitest';
import { d } from '../../../test/support/builders/risk-case.js';
import { textFromFixed, ZERO, type Amount } from '../../core/fixed/fixed.js';
import type { BookedTrade } from '../../engine/account/trade-results.js';
import type { Engine } from '../../engine/engine.js';
import { PositionLedger } from '../../execution/position-ledger.js';
import type { RoundTrip } from '../../report/round-trips.js';
import type { ChargedFees } from '../bot/charged-fees.js';
import { SessionTrades } from './session-trades.js';

const FEES: ChargedFees = {
  currency: 'USDT',
  trading: d('90'),
  funding: ZERO as Amount,
  rebates: ZERO as Amount,
  trades: 0,
};

/** An engine that trades one round trip for each pair of fills: bought at 100, sold at 101 and so on. */
class Desk {
  readonly positions = new PositionLedger();
  readonly closed: RoundTrip[] = [];
  readonly trades: SessionTrades;
  #listener: (trade: BookedTrade) => void = () => undefined;
  #fills = 0;

  constructor(maxFills?: number, held = false) {
    if (held) this.#apply('buy', '100', '1');
    const engine = {
      currency: 'USDT',
      positions: this.positions,
      series: { symbols: ['BTCUSDT'] },
      facts: { venueTime: 0, hedgeRate: () => undefined, lastPrice: () => undefined },
      watchTrades: (listener: (trade: BookedTrade) => void) => {
        this.#listener = listener;
      },
    };
    this.trades = new SessionTrades(
      engine as unknown as Engine,
      (trade) => this.closed.push(trade),
      maxFills,
    );
  }

  fill(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const side = this.#fills % 2 === 0 ? 'buy' : 'sell';
      const [price, quantity] = [`${100 + (this.#fills % 7)}`, '1'];
      this.#fills += 1;
      const fill = { symbol: 'BTCUSDT', currency: 'USDT', side, quantity: d('1'), price: d(price) };
      const trade = { ...fill, realised: this.positions.realised(fill as never) };
      this.#listener(trade as BookedTrade);
      this.#apply(side, price, quantity);
    }
  }

  #apply(side: 'buy' | 'sell', price: string, quantity: string): void {
    this.positions.applyFill({
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side,
      quantity: d(quantity),
      price: d(price),
      monotonic: 0,
    });
  }
}

describe('the trades of a long session', () => {
  it.each([101, 303])('of %i fills at most twenty stay', (count) => {
    const desk = new Desk(20);
    desk.fill(count);
    expect(desk.trades.count).toBe(count);
    expect(desk.trades.count - desk.trades.leftCount).toBeLessThanOrEqual(20);
    expect(desk.closed).toHaveLength(Math.floor(count / 2));
    expect(desk.trades.isWhole).toBe(false);
  });

  it.each([100, 101])('the newest of %i fills give the trades that all of them give', (count) => {
    const [bounded, all] = [new Desk(20), new Desk()];
    for (const desk of [bounded, all]) desk.fill(count);
    expect(all.trades.isWhole).toBe(true);
    const [some, whole] = [bounded, all].map((desk) => desk.trades.roundTrips(undefined));
    expect(some?.trades.length).toBeGreaterThan(5);
    expect(some?.trades).toEqual(whole?.trades.slice(-(some?.trades.length ?? 0)));
    expect(some?.openTrades).toEqual(whole?.openTrades);
    expect(some && bounded.trades.incomplete(some)).toEqual([]);
  });

  it('each fill bears its share of the fees of the session, whether all are here or not', () => {
    const [bounded, all] = [new Desk(20), new Desk()];
    for (const desk of [bounded, all]) desk.fill(90);
    const [some, whole] = [bounded, all].map(
      (desk) => desk.trades.roundTrips(FEES).trades.at(-1)?.fees ?? (ZERO as Amount),
    );
    expect(some).toBe(whole);
    expect(textFromFixed(some as Amount)).toMatch(/^[12]\.\d+$/);
  });

  it('a position of the start is entered at its entry price, however many fills follow', () => {
    const desk = new Desk(20, true);
    desk.fill(40);
    const [open] = desk.trades.roundTrips(undefined).openTrades;
    expect([open?.side, open?.quantity]).toEqual(['long', d('1')]);
    expect(desk.trades.isWhole).toBe(false);
  });
});
