import {
  absolute,
  fixed,
  fixedFromNumber,
  numberFromFixed,
  smaller,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { quantize, type Instrument } from '../../core/instrument.js';
import type { Interval } from '../../core/interval.js';
import type { Side } from '../../core/order.js';
import type { LimitRequest } from '../contract/intent.js';
import { protectionFor, stopDistanceOf } from '../contract/protection.js';
import type { Decision } from '../host/decision-context.js';
import type { OrderFactory } from './order-factory.js';
import type { TradeCosts } from './size/affordable-notional.js';
import { SizeCap, type CappedSize, type CapQuery } from './size/size-cap.js';
import type { SizeSpec } from './size/size-spec.js';
import { sizeFromSpec, sizeOf, type Size } from './size/sizing.js';
import { yearlyVolatility } from './size/volatility.js';

/** Inputs of a decision. */
export interface DecisionInputs {
  readonly symbol: string;
  readonly side: Side;
  readonly instrument: Instrument;
  readonly decision: Decision;
}

/** Inputs of a size from code. */
export interface MarketInputs {
  /** USDT. */
  readonly last: number | undefined;
  /** The last `count` closes, oldest first. */
  readonly closes: (count: number) => readonly number[];
}

export interface IntentSizerOptions {
  readonly orderFactory: OrderFactory;
  readonly size: Size;
  /** USDT. */
  readonly equity: () => number | undefined;
  readonly interval: Interval;
  readonly volatility: (symbol: string, lookback: number) => number | undefined;
  readonly costs?: TradeCosts | undefined;
}

/** `belowMinimum`: the headroom is less than the venue's minimum order. */
export type SizedTarget = CappedSize & { readonly belowMinimum?: true };

export const FLAT: SizedTarget = { quantity: fixed<'quantity'>(0) };

/** Computes the size of an order or a target, within the headroom under the risk limits. */
export class IntentSizer {
  readonly #orderFactory: OrderFactory;
  readonly #size: Size;
  readonly #equity: () => number | undefined;
  readonly #interval: Interval;
  readonly #volatility: (symbol: string, lookback: number) => number | undefined;
  readonly #costs: TradeCosts | undefined;
  readonly #cap: SizeCap;

  constructor(options: IntentSizerOptions) {
    this.#orderFactory = options.orderFactory;
    this.#size = options.size;
    this.#equity = options.equity;
    this.#interval = options.interval;
    this.#volatility = options.volatility;
    this.#costs = options.costs;
    this.#cap = new SizeCap(options.orderFactory, options.size);
  }

  /** Base units of a size from code; undefined while one of its inputs is not known. */
  quantityOf(symbol: string, spec: SizeSpec, { last, closes }: MarketInputs): number | undefined {
    const instrument = this.#orderFactory.port.instrument(symbol);
    if (instrument === undefined || last === undefined) return undefined;
    const size = sizeFromSpec(spec);
    const price = fixedFromNumber<'price'>(last);
    const { protection } = this.#orderFactory.settings;
    const sized = sizeOf(size, {
      conviction: 1,
      price: last,
      equity: this.#equity,
      costs: this.#costs,
      stopDistance: () =>
        spec.stopLoss === undefined
          ? stopDistanceOf(price, protectionFor({ side: 'buy', price, instrument }, protection))
          : Math.abs(last - spec.stopLoss),
      volatility: (lookback) => yearlyVolatility(closes(lookback + 1), this.#interval, lookback),
      instrument,
    });
    return sized.kind === 'sized' ? numberFromFixed(sized.quantity) : undefined;
  }

  /** @returns undefined, after a logged refusal, when it cannot be sized */
  target(conviction: number, inputs: DecisionInputs): SizedTarget | undefined {
    const requested = this.#sized(conviction, inputs);
    if (requested === undefined) return undefined;
    const query = this.#capQuery(inputs, this.#orderFactory.port.position(inputs.symbol));
    const capped = this.#cap.apply(requested, query);
    return this.#cap.isBelowMinimumOrder(capped, query) ? { ...FLAT, belowMinimum: true } : capped;
  }

  /** Against a position, a resting order reduces by at most its quantity: it never flips the position. */
  limit(
    request: LimitRequest,
    inputs: DecisionInputs,
    position: Quantity | undefined,
  ): CappedSize | undefined {
    const { instrument } = inputs;
    const given =
      request.quantity === undefined ? undefined : quantize(request.quantity, instrument);
    if (position !== undefined)
      return {
        quantity: given === undefined ? absolute(position) : smaller(given, absolute(position)),
      };
    if (given !== undefined) return { quantity: given };
    const requested = this.#sized(1, inputs);
    if (requested === undefined) return undefined;
    const query = this.#capQuery(inputs, fixed<'quantity'>(0));
    const capped = this.#cap.apply(requested, query);
    return this.#cap.isBelowMinimumOrder(capped, query) ? undefined : capped;
  }

  /** Unsigned; undefined, after a logged refusal, when it cannot be sized. */
  #sized(
    conviction: number,
    { symbol, side, instrument, decision }: DecisionInputs,
  ): Quantity | undefined {
    const { reference, prices } = decision;
    const { protection } = this.#orderFactory.settings;
    const sized = sizeOf(this.#size, {
      conviction,
      price: numberFromFixed(reference),
      equity: this.#equity,
      costs: this.#costs,
      stopDistance: () =>
        stopDistanceOf(
          reference,
          protectionFor({ side, price: reference, instrument }, protection, prices),
        ),
      volatility: (lookback) => this.#volatility(symbol, lookback),
      instrument,
    });
    if (sized.kind === 'sized') return sized.quantity;
    this.#orderFactory.refuse(`${symbol}: ${sized.reason}`);
    return undefined;
  }

  #capQuery(
    { symbol, side, instrument, decision }: DecisionInputs,
    positionQuantity: Quantity,
  ): CapQuery {
    return { symbol, side, instrument, reference: decision.reference, positionQuantity };
  }
}
