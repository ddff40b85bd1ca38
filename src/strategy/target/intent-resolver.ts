import {
  fixedFromNumber,
  negate,
  withSign,
  ZERO,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { quantize, quantizePrice } from '../../core/instrument.js';
import { sideSign, type Side } from '../../core/order.js';
import {
  intentFault,
  type EnterRequest,
  type Intent,
  type LimitRequest,
  type ProtectRequest,
} from '../contract/intent.js';
import { protectionFault, protectionFor, type ProtectionPrices } from '../contract/protection.js';
import type { FillEvent, OrderEnd } from '../contract/strategy-port.js';
import type { Decision, DecisionContext } from '../host/decision-context.js';
import type { HeldTarget } from '../host/strategy-host.js';
import {
  FLAT,
  IntentSizer,
  type DecisionInputs,
  type IntentSizerOptions,
  type MarketInputs,
} from './intent-sizer.js';
import type { OrderFactory } from './order-factory.js';
import type { SizeSpec } from './size/size-spec.js';
import { TargetTracker } from './target-tracker.js';

export interface IntentResolverOptions extends IntentSizerOptions {
  readonly symbols: readonly string[];
  /** An intent was refused that no market could have made right: an error of the strategy. */
  readonly onFault?: (text: string) => void;
}

/** Turns a strategy's intents into targets of its symbols and resting orders. */
export class IntentResolver {
  readonly #orderFactory: OrderFactory;
  readonly #sizer: IntentSizer;
  readonly #onFault: ((text: string) => void) | undefined;
  readonly #trackers: ReadonlyMap<string, TargetTracker>;

  constructor(options: IntentResolverOptions) {
    this.#orderFactory = options.orderFactory;
    this.#onFault = options.onFault;
    this.#sizer = new IntentSizer(options);
    this.#trackers = new Map(
      options.symbols.map((symbol) => [symbol, new TargetTracker(symbol, options.orderFactory)]),
    );
  }

  get trackers(): Iterable<TargetTracker> {
    return this.#trackers.values();
  }

  /** Targets that are held, with the reason. */
  get heldTargets(): readonly HeldTarget[] {
    return [...this.trackers].flatMap(({ symbol, heldBecause: reason }) =>
      reason === undefined ? [] : [{ symbol, reason }],
    );
  }

  tracker(symbol: string): TargetTracker | undefined {
    return this.#trackers.get(symbol);
  }

  /** Refuses a malformed intent by name; never throws for the strategy's input. */
  resolve(intent: Intent, decisionContext: DecisionContext): void {
    const ordinal = decisionContext.nextOrdinal();
    const fault = intentFault(intent);
    if (fault !== undefined) {
      this.#refuseFaulty(`${kindOf(intent)}: ${fault}`);
      return;
    }
    try {
      if (intent.kind === 'cancel') this.#cancel(intent.orderKey);
      else this.#resolveFor(this.#trackers.get(intent.symbol), intent, decisionContext, ordinal);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#refuseFaulty(`${intent.kind}: ${error.message}`);
    }
  }

  #refuseFaulty(text: string): void {
    this.#orderFactory.refuse(text);
    this.#onFault?.(text);
  }

  onFill(fill: FillEvent, isTargetOrder: boolean): void {
    const tracker = this.#trackers.get(fill.symbol);
    if (isTargetOrder) tracker?.onFill();
    else if (this.#orderFactory.placed.isWithdrawn(fill.key)) tracker?.onWithdrawnFill();
    else tracker?.onPositionChanged('own');
  }

  onOrderEnded(end: OrderEnd): void {
    const isTargetOrder = this.#orderFactory.onOrderEnded(end);
    this.#trackers.get(end.intent.terms.symbol)?.onOrderEnded(end, isTargetOrder);
  }

  #resolveFor(
    tracker: TargetTracker | undefined,
    intent: Exclude<Intent, { kind: 'cancel' }>,
    decisionContext: DecisionContext,
    ordinal: number,
  ): void {
    if (tracker === undefined) {
      this.#refuseFaulty(`${intent.kind}: ${intent.symbol} is not a symbol of this strategy`);
      return;
    }
    switch (intent.kind) {
      case 'target':
        if (tracker.isCurrentTarget('conviction', intent.conviction + 0)) return;
        this.#setConvictionTarget(
          tracker,
          intent.conviction + 0,
          this.#decisionInputs(tracker, intent.conviction, decisionContext, ordinal),
        );
        return;
      case 'target-quantity':
        if (tracker.isCurrentTarget('quantity', intent.quantity + 0)) return;
        this.#setQuantityTarget(
          tracker,
          intent.quantity + 0,
          this.#decisionInputs(tracker, intent.quantity, decisionContext, ordinal),
        );
        return;
      case 'exit':
        if (tracker.desired !== 0)
          this.#setConvictionTarget(
            tracker,
            0,
            this.#decisionInputs(tracker, 0, decisionContext, ordinal),
          );
        return;
      case 'enter':
        this.#enter(tracker, intent.request, decisionContext, ordinal);
        return;
      case 'protect':
        this.#protect(tracker.symbol, intent.request, decisionContext);
        return;
      case 'limit':
        this.#placeLimit(
          intent.request,
          this.#decisionInputs(tracker, sideSign(intent.request.side), decisionContext, ordinal),
        );
        return;
    }
  }

  #enter(
    tracker: TargetTracker,
    request: EnterRequest,
    decisionContext: DecisionContext,
    ordinal: number,
  ): void {
    const sign = sideSign(request.side);
    const hasPosition = withSign(sign, this.#orderFactory.port.position(tracker.symbol)) > 0;
    if (hasPosition || withSign(sign, tracker.desired ?? (ZERO as Quantity)) > 0) return;
    if (tracker.refusesEntry(sign)) return;
    const { stopLoss, takeProfit, quantity, conviction = 1 } = request;
    const prices = {
      ...(stopLoss === undefined ? {} : { stopLoss }),
      ...(takeProfit === undefined ? {} : { takeProfit }),
    };
    const inputs = this.#decisionInputs(tracker, sign, decisionContext, ordinal, prices);
    if (quantity === undefined) this.#setConvictionTarget(tracker, sign * conviction, inputs);
    else this.#setQuantityTarget(tracker, sign * quantity, inputs);
  }

  #protect(symbol: string, request: ProtectRequest, decisionContext: DecisionContext): void {
    const { port } = this.#orderFactory;
    const instrument = port.instrument(symbol);
    const position = port.position(symbol);
    const last = decisionContext.reference(symbol);
    if (position === 0 || instrument === undefined || last === undefined) {
      this.#orderFactory.refuse(`protect: ${symbol}: there is no position to protect`);
      return;
    }
    const side: Side = position > 0 ? 'buy' : 'sell';
    const facts = { side, price: fixedFromNumber<'price'>(last), instrument };
    const fault = protectionFault(facts, request);
    if (fault === undefined)
      this.#orderFactory.protect(
        symbol,
        protectionFor(facts, {}, request),
        decisionContext.cause(),
      );
    else this.#orderFactory.refuse(`protect: ${symbol}: ${fault}`);
  }

  /** Base units of a size from code; undefined while one of its inputs is not known. */
  quantityOf(symbol: string, spec: SizeSpec, inputs: MarketInputs): number | undefined {
    return this.#sizer.quantityOf(symbol, spec, inputs);
  }

  #setConvictionTarget(
    tracker: TargetTracker,
    value: number,
    inputs: DecisionInputs | undefined,
  ): void {
    if (inputs === undefined) return;
    const sized = value === 0 ? FLAT : this.#sizer.target(Math.abs(value), inputs);
    if (sized === undefined) return;
    const { quantity, text, belowMinimum } = sized;
    // No decision without a position or target to change: the next request acts once there is headroom.
    if (belowMinimum === true && !this.#hasPositionOrTarget(tracker)) return;
    if (quantity === 0 && value !== 0 && belowMinimum !== true)
      this.#orderFactory.log(
        'warn',
        `${inputs.symbol}: target ${value} is less than one quantity step`,
      );
    const desired = value < 0 ? negate(quantity) : quantity;
    tracker.setTarget(desired, { unit: 'conviction', value }, withSizing(inputs.decision, text));
  }

  #hasPositionOrTarget({ symbol, desired = ZERO }: TargetTracker): boolean {
    return this.#orderFactory.port.position(symbol) !== 0 || desired !== 0;
  }

  #setQuantityTarget(
    tracker: TargetTracker,
    value: number,
    inputs: DecisionInputs | undefined,
  ): void {
    if (inputs === undefined) return;
    tracker.setTarget(
      quantize(value, inputs.instrument),
      { unit: 'quantity', value },
      inputs.decision,
    );
  }

  #placeLimit(request: LimitRequest, inputs: DecisionInputs | undefined): void {
    if (inputs === undefined) return;
    const { symbol, side, instrument } = inputs;
    const price = quantizePrice(request.price, instrument, side === 'buy' ? 'down' : 'up');
    const decision = { ...inputs.decision, reference: price };
    const position = this.#orderFactory.port.position(symbol);
    const reduces = withSign(sideSign(side), position) < 0;
    const sized = this.#sizer.limit(
      request,
      { ...inputs, decision },
      reduces ? position : undefined,
    );
    if (sized === undefined) return;
    const { quantity, text } = sized;
    if (quantity === 0 || price === 0)
      this.#orderFactory.refuse(`limit: ${symbol}: less than one step of quantity or price`);
    else
      this.#orderFactory.placeLimit(
        { symbol, side, quantity, instrument, price },
        reduces,
        withSizing(decision, text),
      );
  }

  #cancel(key: number): void {
    for (const symbol of this.#trackers.keys())
      if (this.#orderFactory.port.workingOrders(symbol).some((order) => order.key === key)) {
        this.#orderFactory.cancel(key);
        return;
      }
    this.#orderFactory.refuse(`cancel: ${String(key)} is not a working order of this strategy`);
  }

  /** undefined, after a logged refusal, when a fact is missing or the given prices are wrong. */
  #decisionInputs(
    { symbol }: TargetTracker,
    signed: number,
    decisionContext: DecisionContext,
    ordinal: number,
    prices: ProtectionPrices = {},
  ): DecisionInputs | undefined {
    const instrument = this.#orderFactory.port.instrument(symbol);
    const reference = this.#reference(symbol, signed, decisionContext);
    if (instrument === undefined || reference === undefined) {
      const missing = instrument === undefined ? 'no instrument metadata' : 'no price';
      this.#orderFactory.refuse(`${symbol}: there is ${missing} yet`);
      return undefined;
    }
    const side: Side = signed < 0 ? 'sell' : 'buy';
    const fault = protectionFault({ side, price: reference, instrument }, prices);
    if (fault === undefined)
      return {
        symbol,
        side,
        instrument,
        decision: decisionContext.decision({ ordinal, reference, prices }),
      };
    this.#orderFactory.refuse(`${symbol}: ${fault}`);
    return undefined;
  }

  /** The last price; for an exit, whose size depends on no price, else the entry price. */
  #reference(symbol: string, signed: number, decisionContext: DecisionContext): Price | undefined {
    const last = decisionContext.reference(symbol);
    if (last !== undefined) return fixedFromNumber(last);
    return signed === 0 ? this.#orderFactory.port.entryPrice(symbol) : undefined;
  }
}

const withSizing = (decision: Decision, sizing: string | undefined): Decision =>
  sizing === undefined ? decision : { ...decision, sizing };

const kindOf = (intent: unknown): string =>
  typeof intent === 'object' && intent !== null && 'kind' in intent
    ? String(intent.kind)
    : 'intent';
