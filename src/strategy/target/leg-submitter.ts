import { fixedFromNumber, type Price, type Quantity } from '../../core/fixed/fixed.js';
import type { SubmitResult } from '../contract/strategy-port.js';
import type { Decision, DecisionContext } from '../host/decision-context.js';
import type { OrderFactory } from './order-factory.js';
import type { OrderLeg, TargetFacts } from './size/next-leg.js';

/** `in-flight`: a resting order is being canceled first. `expired`: the decision is too old. */
export type LegResult = SubmitResult | 'in-flight' | 'expired';

/** Submits the orders that move one symbol's position to its target. */
export class LegSubmitter {
  readonly #symbol: string;
  readonly #orderFactory: OrderFactory;

  constructor(symbol: string, orderFactory: OrderFactory) {
    this.#symbol = symbol;
    this.#orderFactory = orderFactory;
  }

  /** undefined while the instrument is not known. */
  facts(desired: Quantity, referencePrice: Price): TargetFacts | undefined {
    const { port, settings } = this.#orderFactory;
    const instrument = port.instrument(this.#symbol);
    if (instrument === undefined) return undefined;
    return {
      desired,
      position: port.position(this.#symbol),
      hasOrderInFlight: this.#orderFactory.hasOrderInFlight(this.#symbol),
      hasAbandonedOrder: this.#orderFactory.hasAbandonedOrder(this.#symbol),
      instrument,
      referencePrice,
      maxOpenQuantity:
        settings.entry.kind === 'market' ? instrument.maxMarketQuantity : instrument.maxQuantity,
    };
  }

  submit(leg: OrderLeg, { instrument }: TargetFacts, decision: Decision): LegResult {
    const factory = this.#orderFactory;
    const symbol = this.#symbol;
    const reduces = leg.kind === 'reduce';
    if (factory.cancelResting(symbol)) return 'in-flight';
    if (factory.port.venueTime > factory.validUntil(decision, reduces)) return 'expired';
    const spec = { symbol, side: leg.side, quantity: leg.quantity, instrument };
    return reduces ? factory.reduce(spec, decision) : factory.increase(spec, decision);
  }
}

/** Price of the current event where it has one, else that of the decision. */
export function referenceOf(
  symbol: string,
  decision: Decision,
  decisionContext: DecisionContext | undefined,
): Price {
  const reference = decisionContext?.reference(symbol);
  return reference === undefined ? decision.reference : fixedFromNumber(reference);
}

/** The same request, decided again on the current event; without an event, the old decision. */
export function renewedDecision(
  old: Decision,
  reference: Price,
  decisionContext: DecisionContext | undefined,
): Decision {
  if (decisionContext === undefined) return old;
  const ordinal = decisionContext.nextOrdinal();
  return {
    ...decisionContext.decision({ ordinal, reference, prices: old.prices }),
    ...(old.sizing !== undefined && { sizing: old.sizing }),
  };
}
