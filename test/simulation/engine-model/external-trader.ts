import {
  absolute,
  subtract,
  fixed,
  type Price,
  type Quantity,
} from '../../../src/core/fixed/fixed.js';
import type { EngineEventBody } from '../../../src/core/events.js';
import type { OrderTerms, Side } from '../../../src/core/order.js';
import type { Rng } from './rng.js';
import { LISTINGS, TRADED_SYMBOLS, type WalkExchange } from './walk-exchange.js';
import { scaledOf } from '../../support/builders/scaled.js';

/** What others do on the account at the venue itself, and what a person asks of the bot. */
export class ExternalTrader {
  readonly #venue: WalkExchange;
  readonly #rng: Rng;
  /** What was asked: a person who heard nothing asks once more. */
  readonly commands: Extract<EngineEventBody, { readonly kind: 'command' }>[] = [];

  constructor(venue: WalkExchange, rng: Rng) {
    this.#venue = venue;
    this.#rng = rng;
  }

  /** Opens, adds to, takes off or closes a position in the app, or has an order rest there. */
  changePosition(): void {
    const rng = this.#rng;
    const { exchange } = this.#venue;
    this.#venue.recordView();
    const symbol = rng.pick(TRADED_SYMBOLS);
    const position = exchange.quantity(symbol, 'USDT');
    if (exchange.leverage(symbol, 'USDT') === undefined)
      exchange.setLeverage(symbol, 'USDT', fixed(2e8));
    const side = position < 0 ? 'sell' : 'buy';
    const opposite = side === 'buy' ? 'sell' : 'buy';
    switch (rng.between(0, 4)) {
      case 0:
      case 1:
        this.#trade(symbol, side, this.#least(symbol));
        return;
      case 2:
        if (position !== 0) this.#trade(symbol, opposite, absolute(position));
        return;
      case 3:
        if (position !== 0) this.#trade(symbol, opposite, this.#least(symbol));
        return;
      default:
        this.#rest(symbol, rng.pick(['buy', 'sell'] as const));
    }
    exchange.matchPending(symbol);
  }

  /** Something that rests trades in part. */
  fillPart(): void {
    const { exchange } = this.#venue;
    this.#venue.recordView();
    const resting = exchange
      .openOrders('USDT')
      .filter(({ role, type }) => role === 'trade' && type === 'limit');
    if (resting.length === 0) return;
    const order = this.#rng.pick(resting);
    const step = LISTINGS.find(({ instrument }) => instrument.symbol === order.symbol)?.instrument
      .quantityStep as number;
    const left = subtract(order.quantity, order.filledQuantity);
    const part = Math.max(step, Math.floor(scaledOf(left) / 2 / step) * step);
    exchange.fillPart({ orderId: order.orderId }, fixed(Math.min(scaledOf(left), part)));
  }

  /** An order by hand, or one that was asked for before, under its own id. */
  command(): EngineEventBody {
    const rng = this.#rng;
    const again = this.commands.length > 0 && rng.bool(0.5);
    const { command, commandId } = again ? rng.pick(this.commands) : this.#newCommand();
    const validUntil = this.#venue.venueTime + rng.between(20_000, 600_000);
    const happening = {
      kind: 'command',
      commandId,
      command: command.kind === 'order' ? { ...command, validUntil } : command,
    } as const;
    if (!again) this.commands.push(happening);
    return happening;
  }

  #newCommand(): Extract<EngineEventBody, { readonly kind: 'command' }> {
    const rng = this.#rng;
    const symbol = rng.pick(TRADED_SYMBOLS);
    const terms = this.#terms(symbol, rng.pick(['buy', 'sell'] as const), this.#least(symbol));
    const isResting = rng.bool(0.5);
    return {
      kind: 'command',
      commandId: `person-${this.commands.length + 1}`,
      command: {
        kind: 'order',
        terms: isResting ? { ...terms, type: 'limit', price: this.#away(terms) } : terms,
        validUntil: 0,
      },
    };
  }

  #trade(symbol: string, side: Side, quantity: Quantity): void {
    this.#venue.exchange.place({ terms: this.#terms(symbol, side, quantity) });
  }

  #rest(symbol: string, side: Side): void {
    const terms = this.#terms(symbol, side, this.#least(symbol));
    this.#venue.exchange.place({ terms: { ...terms, type: 'limit', price: this.#away(terms) } });
  }

  #terms(symbol: string, side: Side, quantity: Quantity): OrderTerms {
    return { symbol, currency: 'USDT', side, type: 'market', quantity, reduceOnly: false };
  }

  /** What is worth some 60 USDT. */
  #least(symbol: string): Quantity {
    const step = LISTINGS.find(({ instrument }) => instrument.symbol === symbol)?.instrument
      .quantityStep as number;
    return fixed(Math.ceil(6_000_000_000 / (this.#venue.last(symbol) / 1e8) / step) * step);
  }

  #away({ symbol, side }: OrderTerms): Price {
    const step = LISTINGS.find(({ instrument }) => instrument.symbol === symbol)?.instrument
      .priceStep as number;
    const by = (side === 'buy' ? -1 : 1) * this.#rng.pick([0.0003, 0.001, 0.01]);
    return fixed(Math.round((this.#venue.last(symbol) * (1 + by)) / step) * step);
  }
}
