import { assert } from '../../core/assert.js';
import { BURNED_READS, READ_VISIBILITY_MS } from '../constants.js';
import type { DirtyLegs } from './dirty-legs.js';
import type { LegEvidence } from './leg-judgement.js';
import type { LegRead } from './leg-looking.js';
import { operationOf, type ProtectionLeg } from './protection-leg.js';

/** What one look tells, together with what is remembered of the leg. `now`: monotonic ms. */
export function evidenceOf(
  leg: ProtectionLeg,
  { row, order }: LegRead,
  { now, dirty }: { readonly now: number; readonly dirty: DirtyLegs },
): LegEvidence {
  const { state, plan } = operationOf(leg);
  assert(
    state === 'looking' || state === 'verifying' || state === 'acknowledged',
    'Evidence is weighed while nothing is on its way',
  );
  const { conflictAt, acknowledgedAt, misses } = leg;
  const isOld = (since: number): boolean => now - since >= READ_VISIBILITY_MS;
  return {
    state,
    slot: plan.slot,
    wanted: plan.price,
    row,
    order,
    clientOrderId: leg.name?.clientOrderId,
    isDirty: (orderId) => dirty.forbids(orderId, plan.price),
    overdue: acknowledgedAt === undefined || isOld(acknowledgedAt),
    burned: conflictAt === undefined ? undefined : misses >= BURNED_READS && isOld(conflictAt),
    refused: leg.refusal !== undefined,
  };
}
