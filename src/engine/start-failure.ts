import { PREVIOUS_RUN, type ActiveRestriction } from '../risk/restrictions.js';
import type { TradingState } from './trading-state.js';

type StartState = Pick<TradingState, 'haltReason' | 'isReady' | 'restrictions'>;

/** Why the account cannot be reconciled at the start; undefined: it is, or may still be. */
export function startFailureOf(state: StartState): string | undefined {
  const { haltReason, isReady, restrictions } = state;
  if (haltReason !== undefined || isReady) return haltReason;
  return restrictions.find(isStartFailure)?.cause;
}

/** Why a leverage differs from the configuration for good. */
export const leverageFailureOf = ({ restrictions }: StartState): string | undefined =>
  restrictions.find((each) => each.control === 'R15' && each.class === 'latching')?.cause;

/** In this run, reads of the positions never agreed, or another server answered. */
const isStartFailure = ({ control, symbol, to, triggeredAt }: ActiveRestriction): boolean =>
  symbol === undefined &&
  to === 'HALTED' &&
  (control === 'R22' || control === 'R25') &&
  triggeredAt !== PREVIOUS_RUN;
