import {
  add,
  divide,
  fixed,
  fixedFromText,
  floorToStep,
  larger,
  multiply,
  SCALE,
  textFromFixed,
  times,
  type Price,
  type Quantity,
} from '../../core/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { ProbeWorld } from './probe-world.js';
import { StartError } from '../failure.js';
import { shownAnswer, textUnder, under, type RawAnswer } from './probe-wire.js';

const FUTURES = '/fapi/v1/futures';
const PLACE = '/fapi/v2/futures/order';
const SETTLED_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 300;

/** The open position of the probe's symbol, as the wire tells it. */
export interface ProbePosition {
  readonly positionId: string;
  readonly long: boolean;
  /** Decimal text. */
  readonly quantity: string;
  readonly row: unknown;
}

export interface ProbeOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
}

/** Minimum orders of the probe's own, and how they are taken back. */
export class ProbeDesk {
  readonly #world: ProbeWorld;
  readonly #instrument: Instrument;
  readonly #price: Price;
  /** Makes client order ids that no other probe has. */
  readonly #stamp: string;
  readonly #placed = new Map<string, ProbeOrder>();
  /** Client ids of orders whose answer named none: refused, or lost. */
  readonly #unclear = new Set<string>();
  readonly #stops = new Set<string>();
  #count = 0;

  constructor(
    world: ProbeWorld,
    market: { readonly instrument: Instrument; readonly price: Price; readonly stamp: string },
  ) {
    this.#world = world;
    this.#instrument = market.instrument;
    this.#price = market.price;
    this.#stamp = market.stamp;
  }

  /** The smallest quantity that an order takes a fifth below the market, in base units. */
  get unit(): Quantity {
    const { minQuantity, minNotional, quantityStep } = this.#instrument;
    const least = divide<'quantity'>(minNotional, fixedFromText<'price'>(this.away(-20)));
    const above = add(floorToStep(least, quantityStep), quantityStep);
    return larger(minQuantity, above);
  }

  /** A price so many percent away from the market, on its step. */
  away(percent: number): string {
    const share = fixed<'ratio'>(((100 + percent) * SCALE) / 100);
    const price = multiply<'price'>(this.#price, share);
    return textFromFixed(floorToStep(price, this.#instrument.priceStep));
  }

  /** The same, a hundredth of a step beside it. */
  offStep(percent: number): string {
    return `${this.away(percent)}${this.away(percent).includes('.') ? '' : '.'}001`;
  }

  units(count: number): string {
    return textFromFixed(times(this.unit, count));
  }

  newClientId(): string {
    this.#count += 1;
    return `probe-${this.#stamp}-${this.#count}`;
  }

  /** @param price undefined: a market order */
  async place(
    side: 'LONG' | 'SHORT',
    quantity: string,
    price?: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<RawAnswer> {
    const clientOrderId = String(more['client_order_id'] ?? this.newClientId());
    this.#unclear.add(clientOrderId);
    const answer = await this.#world.wire.send('POST', PLACE, {
      query: { symbol: this.#world.symbol },
      body: {
        trigger_type: price === undefined ? 'MARKET' : 'LIMIT',
        order_type: side,
        quantity,
        ...(price !== undefined && { order_price: price }),
        trade_currency: this.#world.currency,
        client_order_id: clientOrderId,
        ...more,
      },
    });
    const orderId = textUnder(answer.json, 'data', 'order_id');
    if (orderId !== undefined) {
      this.#unclear.delete(clientOrderId);
      this.#placed.set(orderId, { orderId, clientOrderId });
    }
    return answer;
  }

  /** A limit order a fifth below the market. @throws StartError when the venue does not take it */
  async rest(): Promise<ProbeOrder> {
    const answer = await this.place('LONG', this.units(1), this.away(-20));
    const order = this.#placed.get(textUnder(answer.json, 'data', 'order_id') ?? '');
    if (order === undefined)
      throw new StartError(`the probe's order is not taken: ${shownAnswer(answer)}`);
    return order;
  }

  cancel(orderId: string): Promise<RawAnswer> {
    return this.#world.wire.send('DELETE', `${FUTURES}/orders/${orderId}`);
  }

  async position(): Promise<ProbePosition | undefined> {
    const rows = await this.#world.list('/positions');
    const row = rows.find((each) => textUnder(each, 'symbol') === this.#world.symbol);
    const positionId = textUnder(row, 'position_id') ?? textUnder(row, 'id');
    const quantity = textUnder(row, 'quantity');
    if (positionId === undefined || quantity === undefined) return undefined;
    return { positionId, quantity, long: under(row, 'order_type') === 'LONG', row };
  }

  /** A position of two units at least, and no order beside it. @throws StartError */
  async ensurePosition(): Promise<ProbePosition> {
    const before = await this.position();
    const least = Number(this.units(2));
    if (before !== undefined && Number(before.quantity) >= least) return before;
    const side = before === undefined || before.long ? 'LONG' : 'SHORT';
    const answer = await this.place(side, this.units(2));
    const after = await this.until((now) => now !== undefined && Number(now.quantity) >= least);
    if (after === undefined)
      throw new StartError(`the probe's position does not open: ${shownAnswer(answer)}`);
    return after;
  }

  /** Looks until the position is as wanted, for a while. @returns it as it was seen last */
  async until(
    wanted: (position: ProbePosition | undefined) => boolean,
  ): Promise<ProbePosition | undefined> {
    for (let waited = 0; ; waited += LOOK_EVERY_MS) {
      const now = await this.position();
      if (wanted(now) || waited >= SETTLED_WITHIN_MS) return now;
      await this.#world.wire.sleep(LOOK_EVERY_MS);
    }
  }

  /** Sets the stop of a position. */
  setStop(positionId: string, price: string): Promise<RawAnswer> {
    return this.act(positionId, 'riskorder', { is_stoploss: true, stoploss_price: price });
  }

  /** The order id of its stop, as positions show it. */
  async stopOf(): Promise<string | undefined> {
    const id = textUnder((await this.position())?.row, 'stoploss', 'order_id');
    if (id === undefined || id === '') return undefined;
    this.#stops.add(id);
    return id;
  }

  act(
    positionId: string,
    action: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<RawAnswer> {
    const path = `${FUTURES}/positions/${positionId}/${action}`;
    return this.#world.wire.send('POST', path, body === undefined ? {} : { body });
  }

  /** Takes back all that the probe made. @returns what it could not prove gone */
  async cleanUp(): Promise<readonly string[]> {
    const position = await this.position();
    if (position !== undefined) {
      await this.stopOf();
      await this.act(position.positionId, 'close');
    }
    for (const id of await this.#openOrders()) await this.cancel(id);
    for (const clientOrderId of this.#unclear) await this.#cancelUnclear(clientOrderId);
    const left = await this.until((now) => now === undefined);
    const resting = await this.#openOrders();
    return [
      ...(left === undefined ? [] : [`a position of ${left.quantity} ${this.#world.symbol}`]),
      ...resting.map((id) => `order ${id}`),
    ];
  }

  /** Ids of the probe's orders that are open. Nobody else's are touched (hazard B10). */
  async #openOrders(): Promise<readonly string[]> {
    const rows = await this.#world.list('/orders', { limit: '500' });
    const ids = rows.map((row) => textUnder(row, 'id') ?? '');
    return ids.filter((id) => this.#placed.has(id) || this.#stops.has(id));
  }

  /** Most were refused: there is nothing to cancel then. */
  #cancelUnclear(clientOrderId: string): Promise<RawAnswer> {
    const query = { client_order_id: clientOrderId };
    return this.#world.wire.send('DELETE', `${FUTURES}/orders`, { query });
  }
}
