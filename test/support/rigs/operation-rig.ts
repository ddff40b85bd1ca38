import type { PositionReport } from '../../../src/core/account.js';
import { fixed } from '../../../src/core/fixed/fixed.js';
import type { OrderReport } from '../../../src/core/order.js';
import type { ProtectiveOrderSlot } from '../../../src/core/request.js';
import type { JournalRecord } from '../../../src/execution/journal/journal-record.js';
import {
  isKind,
  type Operation,
  type OperationEnd,
  type OperationKind,
} from '../../../src/execution/operation/operation.js';
import { OperationJournal } from '../../../src/execution/journal/operation-journal.js';
import { OperationLedger } from '../../../src/execution/operation/operation-ledger.js';
import type { OperationParts } from '../../../src/execution/operation/operation-parts.js';
import { recoverOperations } from '../../../src/execution/recovery/operation-recovery.js';
import { amendedTermsOf, OrderAmender } from '../../../src/execution/operation/order-amender.js';
import { MarginAdjuster } from '../../../src/execution/operation/margin-adjuster.js';
import { LeverageSetter } from '../../../src/execution/operation/leverage-setter.js';
import { TransferExecutor } from '../../../src/execution/operation/transfer-executor.js';
import { recoverOrders } from '../../../src/execution/recovery/recovered-orders.js';
import { ProtectiveOrderManager } from '../../../src/execution/protection/protective-order-manager.js';
import type { EventTime } from '../../../src/core/events.js';
import { positionRow } from '../builders/position-row.js';
import { d } from '../builders/risk-case.js';
import { ACCOUNT, ProtocolRig } from './protocol-rig.js';

/** The drivers of operations without a venue: see `ProtocolRig`. */
export class OperationRig extends ProtocolRig {
  readonly operations = new OperationLedger(this.stamp);
  readonly operationEnds: { readonly end: OperationEnd; readonly evidence: string }[] = [];
  /** What the world says right before an operation's bytes leave. */
  holdOperations: string | undefined;
  /** Whether a position is believed. */
  open = true;
  readonly parts: OperationParts = {
    requests: this.requestTracker,
    operations: this.operations,
    locks: this.symbolLocks,
    journal: new OperationJournal(this, this.stamp),
    engine: {
      stamp: this.stamp,
      holdReason: () => this.holdOperations,
      onEnded: ({ state, evidence }) => {
        this.operationEnds.push({ end: state as OperationEnd, evidence });
      },
      restrict: ({ cause }) => this.halts.push(cause),
    },
  };
  readonly protecting = new ProtectiveOrderManager({
    ...this.parts,
    account: ACCOUNT,
    onEnded: () => undefined,
    isFlat: () => !this.open,
  });

  readonly amending = new OrderAmender({
    ...this.parts,
    cancel: (order) => {
      this.protocol.cancel(order);
    },
  });
  readonly margin = new MarginAdjuster({
    ...this.parts,
    openOrderCount: (symbol, currency) => this.ledger.openOrders(symbol, currency).length,
  });
  readonly transferring = new TransferExecutor(this.parts);
  readonly leverage = new LeverageSetter(this.parts);

  constructor(records: readonly JournalRecord[] = [], stamp?: EventTime) {
    super(records, stamp);
    this.onEnd = (order) => {
      this.amending.onOrderEnded(order);
    };
  }

  /** Another life on what a journal holds. */
  static revived(records: readonly JournalRecord[], stamp: EventTime): OperationRig {
    const rig = new OperationRig(records, stamp);
    const recovered = recoverOperations(records);
    rig.operations.restore(recovered.operations);
    for (const each of recoverOrders(records, ACCOUNT)) {
      const order = each.create(rig.ledger.nextKey);
      rig.ledger.add(order);
      rig.ledger.indexByClientOrderId(order);
      const plan = recovered.amended.get(order.clientOrderId);
      if (plan !== undefined) order.applyAmendment(amendedTermsOf(order, plan));
    }
    for (const operation of rig.operations.open('amend')) {
      const order = rig.ledger.byClientOrderId(operation.plan.clientOrderId);
      if (order !== undefined) rig.amending.restore(operation, order);
    }
    rig.protecting.restore({ ...recovered, operations: rig.operations.open('protect') });
    return rig;
  }

  /** The only operation, or the newest. */
  operation<K extends OperationKind>(kind: K): Operation<K> {
    const found = this.operations.all.filter((each) => isKind(each, kind)).at(-1);
    if (found === undefined) throw new Error(`there is no ${kind}`);
    return found as unknown as Operation<K>;
  }

  get lastEnd(): OperationEnd | undefined {
    return this.operationEnds.at(-1)?.end;
  }
}

interface RowCase {
  readonly side?: 'long' | 'short';
  readonly quantity?: string;
  readonly margin?: string;
  readonly stopLoss?: readonly [price: string, orderId: string];
  readonly takeProfit?: readonly [price: string, orderId: string];
}

/** A row of positions: 1 BTC at 60,000. */
export const rowOf = (of: RowCase = {}): PositionReport =>
  positionRow(of.quantity ?? '1', {
    side: of.side ?? 'long',
    initialMargin: d(of.margin ?? '30000'),
    maintenanceMargin: d('600'),
    ...(of.stopLoss !== undefined && { stopLoss: shownProtectiveOrder(of.stopLoss) }),
    ...(of.takeProfit !== undefined && { takeProfit: shownProtectiveOrder(of.takeProfit) }),
  });

const shownProtectiveOrder = ([price, orderId]: readonly [string, string]) => ({
  price: d<'price'>(price),
  orderId,
});

interface ProtectiveOrderCase {
  readonly slot?: ProtectiveOrderSlot;
  readonly status?: OrderReport['status'];
  readonly quantity?: string;
  readonly clientOrderId?: string;
}

/** What the venue says of a leg: quantity 0 is the whole position (supplement, part 6). */
export const protectiveOrderOf = (
  orderId: string,
  price: string,
  of: ProtectiveOrderCase = {},
): OrderReport => ({
  orderId,
  ...(of.clientOrderId !== undefined && { clientOrderId: of.clientOrderId }),
  symbol: 'BTCUSDT',
  currency: 'USDT',
  role: of.slot === 'takeProfit' ? 'take-profit' : 'stop-loss',
  type: 'market',
  status: of.status ?? 'created',
  quantity: of.quantity === undefined ? fixed(0) : d(of.quantity),
  filledQuantity: fixed(0),
  price: d('' + price),
  positionId: 'p1',
});
