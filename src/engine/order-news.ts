import type { Stamp } from '../core/events.js';
import type { OrderProtocol } from '../execution/order/order-protocol.js';
import type { RunCounts } from './counts.js';
import type { Operations } from './operations.js';
import type { Operator } from './operator/operator.js';
import type { OrderIntake } from './order-intake.js';
import type { LeverageBook } from './watch/leverage-book.js';
import type { Reconciliation } from './reconciliation/reconciliation.js';

type ProtocolWorld = ConstructorParameters<typeof OrderProtocol>[0]['world'];

export interface OrderNewsParts {
  readonly stamp: Readonly<Stamp>;
  readonly counts: RunCounts;
  readonly halt: (reason: string) => void;
  // Those whom it concerns are made after the protocol that tells it.
  readonly intake: () => OrderIntake;
  readonly operations: () => Operations;
  readonly operator: () => Operator;
  readonly reconciliation: () => Reconciliation;
  readonly leverage: () => LeverageBook;
}

/** Brings what the order protocol tells to those whom it concerns, in this order. */
export const orderNews = ({
  stamp,
  counts,
  halt,
  intake,
  operations,
  operator,
  reconciliation,
  leverage,
}: OrderNewsParts): ProtocolWorld => ({
  stamp,
  reasonToHold: (order) => intake().reasonToHold(order),
  tooOld: (order) => intake().tooOld(order),
  fenceTerms: (order) => intake().fenceTerms(order),
  warn: (text) => {
    intake().warn(text);
  },
  accepted: () => {
    counts.ordersPlaced += 1;
  },
  filled: (order, quantity, price) => {
    const inherited = reconciliation().filled(order, quantity);
    intake().filled(order, quantity, price, inherited);
  },
  ended: (order, end, reason) => {
    intake().ended(order, end, reason);
    operations().amending.orderEnded(order);
    operator().ended(order);
    if (end === 'filled') operator().goOn();
    // The venue cancels a reduction whose position is gone.
    else if (end === 'canceled' && order.terms.reduceOnly) reconciliation().readPositions();
  },
  positionDoubted: () => {
    reconciliation().readPositions();
  },
  leverageUnset: ({ terms }) => {
    leverage().unset(terms.symbol);
  },
  historyUnjudgedSince: (currency) => reconciliation().historyUnjudgedSince(currency),
  absent: (order, since) => reconciliation().absent(order, since),
  isAdopted: (id) => reconciliation().isAdopted(id),
  halt,
});
