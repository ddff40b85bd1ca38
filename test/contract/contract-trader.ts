import { randomUUID } from 'node:crypto';
import { Decimal } from 'decimal.js';
import {
  decimalOf,
  ensure,
  fail,
  record,
  records,
  success,
  textOf,
  type Fields,
} from './expect.js';
import { Skip, type RawResponse, type VenueUnderTest } from './venue-under-test.js';

export const V1 = '/fapi/v1/futures';
export const V2_ORDER = '/fapi/v2/futures/order';
export const SPOT = '/fapi/v1/wallet/funds';
export const UNKNOWN_UUID = '01960000-0000-7000-8000-0000000000ff';

export type Currency = 'USDT' | 'INR';
export type Direction = 'LONG' | 'SHORT';

const LEVERAGE = '5';
/** Fraction of the market price: too far to trade, near enough for any price band. */
const FAR = new Decimal('0.1');
const MAX_POLLS = 200;
const POLL_MS = 25;

export const freshId = (): string => `c-${randomUUID()}`;

export interface ContractTraderOptions {
  readonly symbol?: string;
  readonly currency?: Currency;
}

/** One symbol and one currency, ready to trade: with leverage, and a fixed price where possible. */
export class ContractTrader {
  readonly venue: VenueUnderTest;
  readonly symbol: string;
  readonly currency: Currency;
  readonly asset: Fields;
  /** The market, USDT. */
  readonly price: Decimal;
  /** About twice the smallest order. */
  readonly unit: Decimal;

  private constructor(venue: VenueUnderTest, symbol: string, currency: Currency, asset: Fields) {
    this.venue = venue;
    this.symbol = symbol;
    this.currency = currency;
    this.asset = asset;
    const priceStep = decimalOf(asset, 'price_step');
    const quantityStep = decimalOf(asset, 'quantity_step');
    this.price = toStep(decimalOf(asset, 'price'), priceStep);
    const smallest = decimalOf(asset, 'min_notional_value').times(2).div(this.price);
    this.unit = Decimal.max(
      quantityStep.times(smallest.div(quantityStep).ceil()),
      decimalOf(asset, 'min_contract'),
    );
  }

  static async open(
    venue: VenueUnderTest,
    options: ContractTraderOptions = {},
  ): Promise<ContractTrader> {
    const symbol = options.symbol ?? venue.symbols.first;
    const currency = options.currency ?? 'USDT';
    const asset = record(
      success(await venue.call('GET', `${V1}/${symbol}`, { query: 'is_symbol' })),
    );
    const trader = new ContractTrader(venue, symbol, currency, asset);
    await venue.controls?.holdPrice(symbol, trader.price.toFixed());
    await trader.setLeverage(LEVERAGE);
    return trader;
  }

  setLeverage(leverage: string): Promise<RawResponse> {
    return this.venue.call('POST', `${V1}/${this.symbol}/leverage`, {
      query: 'is_symbol',
      body: { leverage, trade_currency: this.currency },
    });
  }

  get priceStep(): Decimal {
    return decimalOf(this.asset, 'price_step');
  }

  get quantityStep(): Decimal {
    return decimalOf(this.asset, 'quantity_step');
  }

  /** Moves the market by a fraction, to a multiple of the price step. */
  at(fraction: number): Decimal {
    return toStep(this.price.times(new Decimal(1).plus(fraction)), this.priceStep);
  }

  /** A limit price that does not trade. */
  farPrice(direction: Direction = 'LONG'): string {
    const far = direction === 'LONG' ? FAR.neg() : FAR;
    return this.at(far.toNumber()).toFixed();
  }

  marketBody(direction: Direction = 'LONG', more: object = {}): Record<string, unknown> {
    return {
      trigger_type: 'MARKET',
      order_type: direction,
      quantity: this.unit.toFixed(),
      ...(this.currency === 'USDT' ? {} : { trade_currency: this.currency }),
      ...more,
    };
  }

  limitBody(direction: Direction = 'LONG', more: object = {}): Record<string, unknown> {
    const order_price = this.farPrice(direction);
    return { ...this.marketBody(direction), trigger_type: 'LIMIT', order_price, ...more };
  }

  place(body: unknown): Promise<RawResponse> {
    return this.venue.call('POST', V2_ORDER, { query: { symbol: this.symbol }, body });
  }

  /** A resting order. @returns `data` of the place */
  async placeResting(direction: Direction = 'LONG', more: object = {}): Promise<Fields> {
    return record(success(await this.place(this.limitBody(direction, more)), 202));
  }

  /** A market order, filled. @returns `data` of the place */
  async fill(direction: Direction = 'LONG', more: object = {}): Promise<Fields> {
    const placed = record(success(await this.place(this.marketBody(direction, more)), 202));
    await this.orderIn(textOf(placed, 'order_id'), 'FILLED');
    return placed;
  }

  /** Opens a position of two units. @returns its row */
  async openPosition(direction: Direction = 'LONG', more: object = {}): Promise<Fields> {
    const quantity = this.unit.times(2).toFixed();
    const placed = await this.fill(direction, { quantity, ...more });
    return this.positionRow(textOf(placed, 'position_id'));
  }

  async order(orderId: string): Promise<Fields> {
    const query = { order_id: orderId };
    return record(success(await this.venue.call('GET', `${V1}/orders/detail`, { query })));
  }

  /** Waits for a status. */
  orderIn(orderId: string, status: string): Promise<Fields> {
    return until(
      this.venue,
      `order ${orderId} is ${status}`,
      () => this.order(orderId),
      (order) => order['status'] === status,
    );
  }

  async list(
    path: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<readonly Fields[]> {
    const query = { trade_currency: this.currency, ...more };
    const data = success(await this.venue.call('GET', `${V1}/${path}`, { query }));
    return data === null ? [] : records(data, path);
  }

  async positions(): Promise<readonly Fields[]> {
    return (await this.list('positions')).filter((row) => row['symbol'] === this.symbol);
  }

  async positionRow(positionId: string): Promise<Fields> {
    const rows = await this.positions();
    return (
      rows.find((row) => row['id'] === positionId) ?? fail(`position ${positionId} is listed`, rows)
    );
  }

  /** Waits until the order is no longer listed. */
  async closed(positionId: string): Promise<void> {
    await until(
      this.venue,
      `position ${positionId} is closed`,
      () => this.positions(),
      (rows) => rows.every((row) => row['id'] !== positionId),
    );
  }

  /** History rows of one position, in the order of the venue: newest first. */
  async history(positionId: string): Promise<readonly Fields[]> {
    const rows = await this.list('positions/history', { limit: '100' });
    return rows.filter((row) => row['position_id'] === positionId);
  }

  async wallet(): Promise<{ readonly balance: Decimal; readonly locked: Decimal }> {
    const query = { trade_currency: this.currency };
    const data = record(success(await this.venue.call('GET', `${V1}/funds`, { query })));
    return { balance: decimalOf(data, 'balance'), locked: decimalOf(data, 'locked_amount') };
  }

  onPosition(
    method: 'GET' | 'POST' | 'PATCH',
    positionId: string,
    action: string,
    request: Parameters<VenueUnderTest['call']>[2] = {},
  ): Promise<RawResponse> {
    return this.venue.call(method, `${V1}/positions/${positionId}/${action}`, request);
  }
}

/** Reads until the condition holds, because fills and settlement are asynchronous. */
export async function until<T>(
  venue: VenueUnderTest,
  what: string,
  read: () => Promise<T>,
  holds: (value: T) => boolean,
): Promise<T> {
  let last: T | undefined;
  for (let round = 0; round < MAX_POLLS; round += 1) {
    last = await read();
    if (holds(last)) return last;
    await venue.wait(POLL_MS);
  }
  return fail(`${what} within ${(MAX_POLLS * POLL_MS) / 1_000} s`, last);
}

/** An asset without a leverage setting in this currency. */
export async function symbolWithoutLeverage(
  venue: VenueUnderTest,
  currency: Currency = 'USDT',
): Promise<string> {
  const query = { limit: '100' };
  const assets = records(success(await venue.call('GET', V1, { query })), 'assets');
  for (const asset of [...assets].reverse()) {
    const symbol = textOf(asset, 'symbol');
    if (Object.values(venue.symbols).includes(symbol)) continue;
    const answer = await venue.call('GET', `${V1}/${symbol}/leverage`, {
      query: { is_symbol: 'true', trade_currency: currency },
    });
    if (answer.status !== 200) return symbol;
  }
  throw new Skip('leverage is set on every asset of this account');
}

export const toStep = (value: Decimal, step: Decimal): Decimal =>
  step.times(value.div(step).floor());

/** Checks that the venue created nothing. */
export async function notCreated(venue: VenueUnderTest, clientOrderId: string): Promise<void> {
  const query = { client_order_id: clientOrderId };
  const answer = await venue.call('GET', `${V1}/orders/detail`, { query });
  ensure(answer.status === 404, 'a refused place creates no order: its lookup is 404', answer.text);
}
