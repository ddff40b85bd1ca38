import {
  absolute,
  fixed,
  fixedFromNumber,
  negate,
  numberFromFixed,
  smaller,
  withSign,
  ZERO,
  type Price,
  type Quantity,
} from '../core/fixed.js';
import { quantize, quantizePrice, type Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import { signOf, type Side } from '../core/order.js';
import {
  intentFault,
  type EnterWish,
  type Intent,
  type LimitWish,
  type ProtectWish,
} from './intent.js';
import { Lane } from './lane.js';
import type { OrderDesk } from './order-desk.js';
import {
  protectionFault,
  protectionFor,
  stopDistanceOf,
  type ProtectionPrices,
} from './protection.js';
import type { TradeCosts } from './size/room.js';
import type { SizeWish } from './size/size-wish.js';
import { SizeCap, type Capped, type CapQuery } from './size/cap.js';
import { sizeOf, sizeOfWish, type Size } from './size/sizing.js';
import type { Decision, Step } from './host/step.js';
import { yearlyVolatility } from './size/volatility.js';
import type { FillEvent, OrderEnd } from './world.js';

/** Everything a decision is computed from. */
interface Ground {
  readonly symbol: string;
  readonly side: Side;
  readonly instrument: Instrument;
  readonly decision: Decision;
}

/** What a size from code is computed from. */
export interface Known {
  /** USDT. */
  readonly last: number | undefined;
  /** The last so many, oldest first. */
  readonly closes: (count: number) => readonly number[];
}

/** Turns what a strategy asks for into targets of its symbols and resting orders. */
export class Trader {
  readonly #desk: OrderDesk;
  readonly #size: Size;
  /** Equity in USDT. */
  readonly #equity: () => number | undefined;
  readonly #interval: Interval;
  readonly #volatility: (symbol: string, lookback: number) => number | undefined;
  readonly #costs: TradeCosts | undefined;
  readonly #lanes: ReadonlyMap<string, Lane>;
  readonly #cap: SizeCap;

  constructor(options: {
    readonly desk: OrderDesk;
    readonly size: Size;
    readonly equity: () => number | undefined;
    readonly interval: Interval;
    readonly volatility: (symbol: string, lookback: number) => number | undefined;
    readonly symbols: readonly string[];
    readonly costs?: TradeCosts | undefined;
  }) {
    this.#costs = options.costs;
    this.#desk = options.desk;
    this.#size = options.size;
    this.#equity = options.equity;
    this.#interval = options.interval;
    this.#volatility = options.volatility;
    this.#cap = new SizeCap(options.desk, options.size);
    this.#lanes = new Map(
      options.symbols.map((symbol) => [symbol, new Lane(symbol, options.desk)]),
    );
  }

  get lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  lane(symbol: string): Lane | undefined {
    return this.#lanes.get(symbol);
  }

  /** Refuses by name what cannot be an order; never throws for what a strategy gave. */
  take(intent: Intent, step: Step): void {
    const ordinal = step.takeOrdinal();
    const fault = intentFault(intent);
    if (fault !== undefined) {
      this.#desk.refuse(`${kindOf(intent)}: ${fault}`);
      return;
    }
    try {
      if (intent.kind === 'cancel') this.#cancel(intent.orderKey);
      else this.#takeOn(this.#lanes.get(intent.symbol), intent, step, ordinal);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#desk.refuse(`${intent.kind}: ${error.message}`);
    }
  }

  fill(fill: FillEvent, ofLane: boolean): void {
    const lane = this.#lanes.get(fill.symbol);
    if (ofLane) lane?.filled();
    else lane?.moved('own');
  }

  ended(end: OrderEnd): void {
    const ofLane = this.#desk.ended(end);
    this.#lanes.get(end.intent.terms.symbol)?.ended(end, ofLane);
  }

  #takeOn(
    lane: Lane | undefined,
    intent: Exclude<Intent, { kind: 'cancel' }>,
    step: Step,
    ordinal: number,
  ): void {
    if (lane === undefined) {
      this.#desk.refuse(`${intent.kind}: ${intent.symbol} is not a symbol of this strategy`);
      return;
    }
    switch (intent.kind) {
      case 'target':
        if (lane.stands('conviction', intent.conviction + 0)) return;
        this.#convince(
          lane,
          intent.conviction + 0,
          this.#ground(lane, intent.conviction, step, ordinal),
        );
        return;
      case 'target-quantity':
        if (lane.stands('quantity', intent.quantity + 0)) return;
        this.#measure(
          lane,
          intent.quantity + 0,
          this.#ground(lane, intent.quantity, step, ordinal),
        );
        return;
      case 'exit':
        if (lane.desired !== 0) this.#convince(lane, 0, this.#ground(lane, 0, step, ordinal));
        return;
      case 'enter':
        this.#enter(lane, intent.wish, step, ordinal);
        return;
      case 'protect':
        this.#protect(lane.symbol, intent.wish, step);
        return;
      case 'limit':
        this.#rest(intent.wish, this.#ground(lane, signOf(intent.wish.side), step, ordinal));
        return;
    }
  }

  #enter(lane: Lane, wish: EnterWish, step: Step, ordinal: number): void {
    const sign = signOf(wish.side);
    const held = withSign(sign, this.#desk.world.position(lane.symbol)) > 0;
    if (held || withSign(sign, lane.desired ?? (ZERO as Quantity)) > 0) return;
    if (lane.refusesEntry(sign)) return;
    const { stopLoss, takeProfit, quantity, conviction = 1 } = wish;
    const prices = {
      ...(stopLoss === undefined ? {} : { stopLoss }),
      ...(takeProfit === undefined ? {} : { takeProfit }),
    };
    const ground = this.#ground(lane, sign, step, ordinal, prices);
    if (quantity === undefined) this.#convince(lane, sign * conviction, ground);
    else this.#measure(lane, sign * quantity, ground);
  }

  #protect(symbol: string, wish: ProtectWish, step: Step): void {
    const { world } = this.#desk;
    const instrument = world.instrument(symbol);
    const position = world.position(symbol);
    const last = step.reference(symbol);
    if (position === 0 || instrument === undefined || last === undefined) {
      this.#desk.refuse(`protect: ${symbol}: there is no position to protect`);
      return;
    }
    const side: Side = position > 0 ? 'buy' : 'sell';
    const facts = { side, price: fixedFromNumber<'price'>(last), instrument };
    const fault = protectionFault(facts, wish);
    if (fault === undefined)
      this.#desk.protect(symbol, protectionFor(facts, {}, wish), step.cause());
    else this.#desk.refuse(`protect: ${symbol}: ${fault}`);
  }

  /** Base units of a size from code; undefined while something that it needs is not known. */
  quantityOf(symbol: string, wish: SizeWish, { last, closes }: Known): number | undefined {
    const instrument = this.#desk.world.instrument(symbol);
    if (instrument === undefined || last === undefined) return undefined;
    const size = sizeOfWish(wish);
    const price = fixedFromNumber<'price'>(last);
    const { protection } = this.#desk.settings;
    const sized = sizeOf(size, {
      conviction: 1,
      price: last,
      equity: this.#equity,
      costs: this.#costs,
      stopDistance: () =>
        wish.stopLoss === undefined
          ? stopDistanceOf(price, protectionFor({ side: 'buy', price, instrument }, protection))
          : Math.abs(last - wish.stopLoss),
      volatility: (lookback) => yearlyVolatility(closes(lookback + 1), this.#interval, lookback),
      instrument,
    });
    return sized.kind === 'sized' ? numberFromFixed(sized.quantity) : undefined;
  }

  #convince(lane: Lane, value: number, ground: Ground | undefined): void {
    if (ground === undefined) return;
    const sized = value === 0 ? FLAT : this.#target(Math.abs(value), ground);
    if (sized === undefined) return;
    const { quantity, text, none } = sized;
    // Not decided where nothing stands against it: so it is acted on as soon as there is room.
    if (none === true && !this.#stands(lane)) return;
    if (quantity === 0 && value !== 0 && none !== true)
      this.#desk.say('warn', `${ground.symbol}: target ${value} is less than one quantity step`);
    const desired = value < 0 ? negate(quantity) : quantity;
    lane.decide(desired, { unit: 'conviction', value }, withSizing(ground.decision, text));
  }

  #target(conviction: number, ground: Ground): SizedTarget | undefined {
    const wanted = this.#sized(conviction, ground);
    if (wanted === undefined) return undefined;
    const query = this.#capQuery(ground, this.#desk.world.position(ground.symbol));
    const capped = this.#cap.apply(wanted, query);
    return this.#cap.leavesNoOrder(capped, query) ? { ...FLAT, none: true } : capped;
  }

  #capQuery({ symbol, side, instrument, decision }: Ground, held: Quantity): CapQuery {
    return { symbol, side, instrument, reference: decision.reference, held };
  }

  #stands({ symbol, desired = ZERO }: Lane): boolean {
    return this.#desk.world.position(symbol) !== 0 || desired !== 0;
  }

  #measure(lane: Lane, value: number, ground: Ground | undefined): void {
    if (ground === undefined) return;
    lane.decide(quantize(value, ground.instrument), { unit: 'quantity', value }, ground.decision);
  }

  /** Unsigned; undefined, and said so, when it cannot be sized. */
  #sized(conviction: number, { symbol, side, instrument, decision }: Ground): Quantity | undefined {
    const { reference, prices } = decision;
    const { protection } = this.#desk.settings;
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
    this.#desk.refuse(`${symbol}: ${sized.reason}`);
    return undefined;
  }

  #rest(wish: LimitWish, ground: Ground | undefined): void {
    if (ground === undefined) return;
    const { symbol, side, instrument } = ground;
    const price = quantizePrice(wish.price, instrument, side === 'buy' ? 'down' : 'up');
    const decision = { ...ground.decision, reference: price };
    const position = this.#desk.world.position(symbol);
    const reduces = withSign(signOf(side), position) < 0;
    const sized = this.#restQuantity(wish, { ...ground, decision }, reduces ? position : undefined);
    if (sized === undefined) return;
    const { quantity, text } = sized;
    if (quantity === 0 || price === 0)
      this.#desk.refuse(`limit: ${symbol}: less than one step of quantity or price`);
    else
      this.#desk.rest(
        { symbol, side, quantity, instrument, price },
        reduces,
        withSizing(decision, text),
      );
  }

  /** Against a position a resting order takes off what is there at most: it never flips. */
  #restQuantity(
    wish: LimitWish,
    ground: Ground,
    position: Quantity | undefined,
  ): Capped | undefined {
    const { instrument } = ground;
    const given = wish.quantity === undefined ? undefined : quantize(wish.quantity, instrument);
    if (position !== undefined)
      return {
        quantity: given === undefined ? absolute(position) : smaller(given, absolute(position)),
      };
    if (given !== undefined) return { quantity: given };
    const wanted = this.#sized(1, ground);
    if (wanted === undefined) return undefined;
    const query = this.#capQuery(ground, fixed<'quantity'>(0));
    const capped = this.#cap.apply(wanted, query);
    return this.#cap.leavesNoOrder(capped, query) ? undefined : capped;
  }

  #cancel(key: number): void {
    for (const symbol of this.#lanes.keys())
      if (this.#desk.world.working(symbol).some((order) => order.key === key)) {
        this.#desk.cancel(key);
        return;
      }
    this.#desk.refuse(`cancel: ${String(key)} is not a working order of this strategy`);
  }

  /** undefined, and said so, when there is nothing to decide on or the given prices are wrong. */
  #ground(
    { symbol }: Lane,
    signed: number,
    step: Step,
    ordinal: number,
    prices: ProtectionPrices = {},
  ): Ground | undefined {
    const instrument = this.#desk.world.instrument(symbol);
    const last = step.reference(symbol);
    if (instrument === undefined || last === undefined) {
      const missing = instrument === undefined ? 'no instrument metadata' : 'no price';
      this.#desk.refuse(`${symbol}: there is ${missing} yet`);
      return undefined;
    }
    const side: Side = signed < 0 ? 'sell' : 'buy';
    const reference: Price = fixedFromNumber(last);
    const fault = protectionFault({ side, price: reference, instrument }, prices);
    if (fault === undefined)
      return { symbol, side, instrument, decision: step.decision({ ordinal, reference, prices }) };
    this.#desk.refuse(`${symbol}: ${fault}`);
    return undefined;
  }
}

/** `none`: the limits leave less than an order. */
type SizedTarget = Capped & { readonly none?: true };

const FLAT: SizedTarget = { quantity: fixed<'quantity'>(0) };

const withSizing = (decision: Decision, sizing: string | undefined): Decision =>
  sizing === undefined ? decision : { ...decision, sizing };

const kindOf = (intent: unknown): string =>
  typeof intent === 'object' && intent !== null && 'kind' in intent
    ? String(intent.kind)
    : 'intent';
