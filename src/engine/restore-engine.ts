import type { Recovery } from '../execution/recovery/recovery.js';
import type { EngineOptions } from './engine-options.js';
import type { engineParts } from './engine-parts.js';

/** Resumes the state that previous runs left in the journal, before the engine starts. */
export function restoreEngine(
  { gate, manualSession }: EngineOptions,
  { ledger, operator, operations, reconciliation }: ReturnType<typeof engineParts>,
  recovered: Recovery,
): void {
  const orders = recovered.orders.map((each) => {
    const order = each.create(ledger.nextKey);
    gate.remember(each.intent);
    ledger.add(order);
    ledger.indexByClientOrderId(order);
    return order;
  });
  const { flatten } = recovered;
  if (flatten !== undefined) operator.flatten.restore(flatten, manualSession === true);
  operations.restore(recovered.operations);
  reconciliation.restore(orders, recovered);
}
