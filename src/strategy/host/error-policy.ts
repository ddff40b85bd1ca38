import { fixedFromNumber, numberFromFixed, ZERO, type Price } from '../../core/fixed/fixed.js';
import type { TargetTracker } from '../target/target-tracker.js';
import type { OrderFactory } from '../target/order-factory.js';
import { protectionFor } from '../contract/protection.js';
import type { DecisionContext } from './decision-context.js';

/**
 * Treatment of the open position after a strategy has failed:
 *
 * - `hold`: it stays, with its stop.
 * - `protect`: it stays, and without a known stop it gets one at `stop_loss_pct` of its entry.
 * - `flatten`: it is closed.
 *
 * Waiting entries are canceled, and a reduction that it has decided goes on in any case.
 */
export const ERROR_POLICIES = ['hold', 'protect', 'flatten'] as const;
export type ErrorPolicy = (typeof ERROR_POLICIES)[number];

/** Cause key of a policy's orders. */
export const ON_ERROR = 'on-error';

/** For people. */
export const POLICY_TEXTS: Readonly<Record<ErrorPolicy, string>> = {
  hold: 'Its positions and their stops stay as they are; an exit that it has decided goes on',
  protect: 'Its positions stay, each with a stop; an exit that it has decided goes on',
  flatten: 'Its positions are closed',
};

/** Applies a policy, under the cause of the current event. */
export function applyErrorPolicy(
  policy: ErrorPolicy,
  trackers: Iterable<TargetTracker>,
  {
    orderFactory,
    decisionContext,
  }: { readonly orderFactory: OrderFactory; readonly decisionContext: DecisionContext },
): void {
  for (const tracker of trackers) {
    const isFlat = orderFactory.port.position(tracker.symbol) === 0;
    // An entry on its way may still fill.
    const mayFill = policy === 'flatten' && orderFactory.hasEntryUnderWay(tracker.symbol);
    if (isFlat && !mayFill) continue;
    if (policy === 'flatten') flatten(tracker, orderFactory, decisionContext);
    else if (policy === 'protect') protect(tracker, orderFactory, decisionContext);
  }
}

function flatten(
  tracker: TargetTracker,
  orderFactory: OrderFactory,
  decisionContext: DecisionContext,
): void {
  const reference = referenceOf(tracker.symbol, orderFactory, decisionContext);
  if (reference === undefined) return;
  const decision = decisionContext.decision({
    ordinal: decisionContext.nextOrdinal(),
    reference,
    prices: {},
  });
  tracker.setTarget(ZERO, { unit: 'conviction', value: 0 }, decision);
}

function protect(
  { symbol }: TargetTracker,
  orderFactory: OrderFactory,
  decisionContext: DecisionContext,
): void {
  const { port, settings } = orderFactory;
  const instrument = port.instrument(symbol);
  const entry = port.entryPrice(symbol);
  const { stopLossPct } = settings.protection;
  if (orderFactory.stopOf(symbol) !== undefined) return;
  if (instrument === undefined || entry === undefined || stopLossPct === undefined) {
    orderFactory.log('error', `${symbol}: no stop can be set, it is not known where`);
    return;
  }
  const side = port.position(symbol) > 0 ? 'buy' : 'sell';
  const { stopLoss } = protectionFor({ side, price: entry, instrument }, { stopLossPct });
  if (stopLoss !== undefined) orderFactory.protect(symbol, { stopLoss }, decisionContext.cause());
}

function referenceOf(
  symbol: string,
  { port }: OrderFactory,
  decisionContext: DecisionContext,
): Price | undefined {
  const last = decisionContext.reference(symbol);
  if (last !== undefined) return fixedFromNumber(last);
  const entry = port.entryPrice(symbol);
  return entry === undefined ? undefined : fixedFromNumber(numberFromFixed(entry));
}
