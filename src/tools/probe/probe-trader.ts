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
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { ProbeContext } from './probe-context.js';
import { StartError } from '../../core/command-errors.js';
import { responseText, textAt, valueAt, type ProbeResponse } from './probe-http.js';

const FUTURES = '/fapi/v1/futures';
const PLACE_ORDER_PATH = '/fapi/v2/futures/order';
const POSITION_TIMEOUT_MS = 15_000;
const POLL_INTERVAL_MS = 300;

/** The open position of the probe's symbol, in wire terms. */
export interface ProbePosition {
  readonly positionId: string;
  readonly isLong: boolean;
  /** Decimal text. */
  readonly quantity: string;
  readonly row: unknown;
}

export interface ProbeOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
}

/** Places minimum orders for the probe, and cancels and closes them at the end. */
export class ProbeTrader {
  readonly #context: ProbeContext;
  readonly #instrument: Instrument;
  readonly #price: Price;
  /** Prefix of client order ids that no other probe uses. */
  readonly #idPrefix: string;
  readonly #placed = new Map<string, ProbeOrder>();
  /** Client ids of orders whose response has no order id: refused, or lost. */
  readonly #unconfirmed = new Set<string>();
  readonly #stopOrderIds = new Set<string>();
  #count = 0;

  constructor(
    context: ProbeContext,
    market: { readonly instrument: Instrument; readonly price: Price; readonly idPrefix: string },
  ) {
    this.#context = context;
    this.#instrument = market.instrument;
    this.#price = market.price;
    this.#idPrefix = market.idPrefix;
  }

  /** The smallest valid quantity of an order 20 % below the market, in base units. */
  get unit(): Quantity {
    const { minQuantity, minNotional, quantityStep } = this.#instrument;
    const minimum = divide<'quantity'>(minNotional, fixedFromText<'price'>(this.priceAway(-20)));
    const above = add(floorToStep(minimum, quantityStep), quantityStep);
    return larger(minQuantity, above);
  }

  /** A price on the step, this many percent away from the market. */
  priceAway(percent: number): string {
    const share = fixed<'ratio'>(((100 + percent) * SCALE) / 100);
    const price = multiply<'price'>(this.#price, share);
    return textFromFixed(floorToStep(price, this.#instrument.priceStep));
  }

  /** A price off the step, by a fraction of it. */
  priceOffStep(percent: number): string {
    return `${this.priceAway(percent)}${this.priceAway(percent).includes('.') ? '' : '.'}001`;
  }

  units(count: number): string {
    return textFromFixed(times(this.unit, count));
  }

  newClientId(): string {
    this.#count += 1;
    return `probe-${this.#idPrefix}-${this.#count}`;
  }

  /** @param price undefined: a market order */
  async place(
    side: 'LONG' | 'SHORT',
    quantity: string,
    price?: string,
    extraFields: Readonly<Record<string, unknown>> = {},
  ): Promise<ProbeResponse> {
    const clientOrderId = String(extraFields['client_order_id'] ?? this.newClientId());
    this.#unconfirmed.add(clientOrderId);
    const answer = await this.#context.http.send('POST', PLACE_ORDER_PATH, {
      query: { symbol: this.#context.symbol },
      body: {
        trigger_type: price === undefined ? 'MARKET' : 'LIMIT',
        order_type: side,
        quantity,
        ...(price !== undefined && { order_price: price }),
        trade_currency: this.#context.currency,
        client_order_id: clientOrderId,
        ...extraFields,
      },
    });
    const orderId = textAt(answer.json, 'data', 'order_id');
    if (orderId !== undefined) {
      this.#unconfirmed.delete(clientOrderId);
      this.#placed.set(orderId, { orderId, clientOrderId });
    }
    return answer;
  }

  /** Places a limit order 20 % below the market. @throws StartError when the venue refuses it */
  async placeRestingOrder(): Promise<ProbeOrder> {
    const answer = await this.place('LONG', this.units(1), this.priceAway(-20));
    const order = this.#placed.get(textAt(answer.json, 'data', 'order_id') ?? '');
    if (order === undefined)
      throw new StartError(`the venue refused the probe's order: ${responseText(answer)}`);
    return order;
  }

  cancel(orderId: string): Promise<ProbeResponse> {
    return this.#context.http.send('DELETE', `${FUTURES}/orders/${orderId}`);
  }

  async position(): Promise<ProbePosition | undefined> {
    const rows = await this.#context.list('/positions');
    const row = rows.find((each) => textAt(each, 'symbol') === this.#context.symbol);
    const positionId = textAt(row, 'position_id') ?? textAt(row, 'id');
    const quantity = textAt(row, 'quantity');
    if (positionId === undefined || quantity === undefined) return undefined;
    return { positionId, quantity, isLong: valueAt(row, 'order_type') === 'LONG', row };
  }

  /** Opens a position of at least two units, unless there is one. @throws StartError */
  async ensurePosition(): Promise<ProbePosition> {
    const before = await this.position();
    const minimum = Number(this.units(2));
    if (before !== undefined && Number(before.quantity) >= minimum) return before;
    const side = before === undefined || before.isLong ? 'LONG' : 'SHORT';
    const answer = await this.place(side, this.units(2));
    const after = await this.waitForPosition(
      (now) => now !== undefined && Number(now.quantity) >= minimum,
    );
    if (after === undefined)
      throw new StartError(`the probe's position did not open: ${responseText(answer)}`);
    return after;
  }

  /** Reads the position until the condition holds or the time is over. @returns the last state */
  async waitForPosition(
    condition: (position: ProbePosition | undefined) => boolean,
  ): Promise<ProbePosition | undefined> {
    for (let waited = 0; ; waited += POLL_INTERVAL_MS) {
      const now = await this.position();
      if (condition(now) || waited >= POSITION_TIMEOUT_MS) return now;
      await this.#context.http.sleep(POLL_INTERVAL_MS);
    }
  }

  /** Sets the stop of a position. */
  setStop(positionId: string, price: string): Promise<ProbeResponse> {
    return this.positionAction(positionId, 'riskorder', {
      is_stoploss: true,
      stoploss_price: price,
    });
  }

  /** The order id of the stop in the position row. */
  async stopOrderId(): Promise<string | undefined> {
    const id = textAt((await this.position())?.row, 'stoploss', 'order_id');
    if (id === undefined || id === '') return undefined;
    this.#stopOrderIds.add(id);
    return id;
  }

  positionAction(
    positionId: string,
    action: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<ProbeResponse> {
    const path = `${FUTURES}/positions/${positionId}/${action}`;
    return this.#context.http.send('POST', path, body === undefined ? {} : { body });
  }

  /** Cancels and closes everything of the probe. @returns what is still open */
  async cleanUp(): Promise<readonly string[]> {
    const position = await this.position();
    if (position !== undefined) {
      await this.stopOrderId();
      await this.positionAction(position.positionId, 'close');
    }
    for (const id of await this.#openOwnOrders()) await this.cancel(id);
    for (const clientOrderId of this.#unconfirmed) await this.#cancelUnconfirmed(clientOrderId);
    const left = await this.waitForPosition((now) => now === undefined);
    const resting = await this.#openOwnOrders();
    return [
      ...(left === undefined ? [] : [`a position of ${left.quantity} ${this.#context.symbol}`]),
      ...resting.map((id) => `order ${id}`),
    ];
  }

  /** Ids of the probe's open orders. Orders of other clients are never touched. */
  async #openOwnOrders(): Promise<readonly string[]> {
    const rows = await this.#context.list('/orders', { limit: '500' });
    const ids = rows.map((row) => textAt(row, 'id') ?? '');
    return ids.filter((id) => this.#placed.has(id) || this.#stopOrderIds.has(id));
  }

  /** Most of these were refused, so the cancel often finds no order. */
  #cancelUnconfirmed(clientOrderId: string): Promise<ProbeResponse> {
    const query = { client_order_id: clientOrderId };
    return this.#context.http.send('DELETE', `${FUTURES}/orders`, { query });
  }
}
