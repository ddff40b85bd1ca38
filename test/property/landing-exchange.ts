import { fixed, ZERO, type Quantity } from '../../src/core/fixed/fixed.js';
import { hashPair, mix, unit } from '../../src/core/integer-hash.js';
import { money, ExchangeRig, of } from '../support/rigs/exchange-rig.js';
import { scaledOf } from '../support/builders/scaled.js';
import type { Landing, Trade } from './landing-model.js';

/** What a run on the exchange can meet. */
export const EVENTS = [
  'a market order',
  'a position closed',
  'a refused order',
  'a resting order',
  'a resting order filled in part',
] as const;
type Event = (typeof EVENTS)[number];

const SYMBOL = 'BTCUSDT';
const sideOf = (quantity: number) => (quantity > 0 ? ('buy' as const) : ('sell' as const));
const unitsOf = (count: number): Quantity => fixed(count * 1e8);

/** The landings of a book on the exchange that the sandbox serves: resting orders first, then one after the other. */
export class LandingExchange {
  readonly #rig = new ExchangeRig({
    futures: { USDT: money('1000000'), INR: money('0') },
    leverage: '1',
  });
  readonly #landings: readonly Landing[];

  constructor(position: number, landings: readonly Landing[]) {
    this.#landings = landings;
    if (position !== 0) this.#rig.trade(sideOf(position), String(Math.abs(position)));
  }

  /** Base units, signed. */
  get position(): number {
    return scaledOf(this.#rig.exchange.quantity(SYMBOL, 'USDT')) / 1e8;
  }

  /** Lands a subset in an order, both by the seed; the caller looks at the position after each event. */
  *play(seed: number): Iterable<Event> {
    const draw = (what: number): number => unit(hashPair(mix(seed), what));
    const resting: { readonly orderId: string; left: number }[] = [];
    const market: Trade[] = [];
    for (const [index, landing] of this.#landings.entries()) {
      const trade = landing[Math.floor(draw(index) * landing.length)];
      if (trade === undefined || draw(100 + index) < 0.15) continue;
      if (draw(200 + index) < 0.5) market.push(trade);
      else {
        const orderId = this.#place(trade, trade.quantity > 0 ? '95' : '105');
        if (orderId === undefined) yield 'a refused order';
        else resting.push({ orderId, left: Math.abs(trade.quantity) });
      }
    }
    for (let turn = 300; market.length + resting.length > 0; turn += 3) {
      if (draw(turn) < 0.1 && this.#close()) yield 'a position closed';
      const at = Math.floor(draw(turn + 1) * (market.length + resting.length));
      const trade = market[at];
      if (trade === undefined) yield* this.#fill(resting, at - market.length, draw(turn + 2));
      else {
        market.splice(at, 1);
        yield this.#place(trade) === undefined ? 'a refused order' : 'a market order';
      }
    }
  }

  *#fill(resting: { orderId: string; left: number }[], at: number, part: number): Iterable<Event> {
    const order = resting[at];
    if (order === undefined) return;
    const quantity = 1 + Math.floor(part * order.left);
    const { ok } = this.#rig.exchange.fillPart({ orderId: order.orderId }, unitsOf(quantity));
    order.left -= quantity;
    if (!ok || order.left <= 0) resting.splice(at, 1);
    if (ok) yield order.left > 0 ? 'a resting order filled in part' : 'a resting order';
  }

  /** @returns the venue's id; undefined: refused */
  #place({ quantity, reduceOnly }: Trade, price?: string): string | undefined {
    const placed = this.#rig.exchange.place({
      terms: {
        symbol: SYMBOL,
        currency: 'USDT',
        side: sideOf(quantity),
        type: price === undefined ? 'market' : 'limit',
        quantity: unitsOf(Math.abs(quantity)),
        ...(price !== undefined && { price: of<'price'>(price) }),
        reduceOnly,
      },
    });
    if (!placed.ok) return undefined;
    this.#rig.exchange.matchPending();
    return placed.value.orderId;
  }

  #close(): boolean {
    const quantity = -this.position;
    if (quantity === ZERO) return false;
    return this.#place({ quantity, reduceOnly: true }) !== undefined;
  }
}
