import { fixedFromNumber, numberFromFixed, ZERO, type Price } from '../../core/fixed.js';
import type { Lane } from '../lane.js';
import type { OrderDesk } from '../order-desk.js';
import { protectionFor } from '../protection.js';
import type { Step } from './step.js';

/**
 * What becomes of the open position when a strategy has failed:
 *
 * - `hold`: it stays, with the stop that it has.
 * - `protect`: it stays, and where no stop is known it gets one at `stop_loss_pct` of its entry.
 * - `flatten`: it is closed.
 *
 * Entries that still wait are taken back in any case.
 */
export const ERROR_POLICIES = ['hold', 'protect', 'flatten'] as const;
export type ErrorPolicy = (typeof ERROR_POLICIES)[number];

/** Key of the cause of what a policy orders. */
export const ON_ERROR = 'on-error';

/** For people. */
export const POLICY_TEXTS: Readonly<Record<ErrorPolicy, string>> = {
  hold: 'Its positions and their stops stay as they are',
  protect: 'Its positions stay, each with a stop',
  flatten: 'Its positions are closed',
};

/** Carries a policy out, under the cause of `step`. */
export function carryOut(
  policy: ErrorPolicy,
  lanes: Iterable<Lane>,
  { desk, step }: { readonly desk: OrderDesk; readonly step: Step },
): void {
  for (const lane of lanes) {
    if (desk.world.position(lane.symbol) === 0) continue;
    if (policy === 'flatten') flatten(lane, desk, step);
    else if (policy === 'protect') protect(lane, desk, step);
  }
}

function flatten(lane: Lane, desk: OrderDesk, step: Step): void {
  const reference = referenceOf(lane.symbol, desk, step);
  if (reference === undefined) return;
  const decision = step.decision({ ordinal: step.takeOrdinal(), reference, prices: {} });
  lane.decide(ZERO, { unit: 'conviction', value: 0 }, decision);
}

function protect({ symbol }: Lane, desk: OrderDesk, step: Step): void {
  const { world, settings } = desk;
  const instrument = world.instrument(symbol);
  const entry = world.entryPrice(symbol);
  const { stopLossPct } = settings.protection;
  if (desk.stopOf(symbol) !== undefined) return;
  if (instrument === undefined || entry === undefined || stopLossPct === undefined) {
    desk.say('error', `${symbol}: no stop can be set, it is not known where`);
    return;
  }
  const side = world.position(symbol) > 0 ? 'buy' : 'sell';
  const { stopLoss } = protectionFor({ side, price: entry, instrument }, { stopLossPct });
  if (stopLoss !== undefined) desk.protect(symbol, { stopLoss }, step.cause());
}

function referenceOf(symbol: string, { world }: OrderDesk, step: Step): Price | undefined {
  const last = step.reference(symbol);
  if (last !== undefined) return fixedFromNumber(last);
  const entry = world.entryPrice(symbol);
  return entry === undefined ? undefined : fixedFromNumber(numberFromFixed(entry));
}
