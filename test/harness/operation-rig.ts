import type { PositionReport } from '../../src/core/account.js';
import { fixed } from '../../src/core/fixed.js';
import type { OrderReport } from '../../src/core/order.js';
import type { LegSlot } from '../../src/core/request.js';
import type { JournalRecord } from '../../src/execution/journal/journal-record.js';
import {
  isKind,
  type Operation,
  type OperationEnd,
  type OperationKind,
} from '../../src/execution/operation/operation.js';
import { OperationJournal } from '../../src/execution/journal/operation-journal.js';
import { OperationLedger } from '../../src/execution/operation/operation-ledger.js';
import type { OperationParts } from '../../src/execution/operation/operation-parts.js';
import { recoverOperations } from '../../src/execution/recovery/operation-recovery.js';
import { newTermsOf, Amending } from '../../src/execution/operation/amending.js';
import { ChangingMargin } from '../../src/execution/operation/changing-margin.js';
import { SettingLeverage } from '../../src/execution/operation/setting-leverage.js';
import { Transferring } from '../../src/execution/operation/transferring.js';
import { recoverOrders } from '../../src/execution/recovery/recovery.js';
import { Protecting } from '../../src/execution/protection/protecting.js';
import type { Stamp } from '../../src/core/events.js';
import { positionRow } from './position-row.js';
import { d } from './risk-case.js';
import { ACCOUNT, ProtocolRig } from './protocol-rig.js';

/** The drivers of operations with nobody behind them: see `ProtocolRig`. */
export class OperationRig extends ProtocolRig {
  readonly operations = new OperationLedger(this.stamp);
  readonly operationEnds: { readonly end: OperationEnd; readonly evidence: string }[] = [];
  /** What the world says right before an operation's bytes leave. */
  holdOperations: string | undefined;
  /** Whether a position is believed. */
  open = true;
  readonly parts: OperationParts = {
    desk: this.desk,
    operations: this.operations,
    lanes: this.lanes,
    journal: new OperationJournal(this, this.stamp),
    world: {
      stamp: this.stamp,
      reasonToHold: () => this.holdOperations,
      ended: ({ state, evidence }) => {
        this.operationEnds.push({ end: state as OperationEnd, evidence });
      },
      halt: (reason) => this.halts.push(reason),
    },
  };
  readonly protecting = new Protecting({
    ...this.parts,
    account: ACCOUNT,
    isFlat: () => !this.open,
  });

  readonly amending = new Amending({
    ...this.parts,
    cancel: (order) => {
      this.protocol.cancel(order);
    },
  });
  readonly margin = new ChangingMargin({
    ...this.parts,
    ordersUnderWay: (symbol, currency) => this.ledger.active(symbol, currency).length,
  });
  readonly transferring = new Transferring(this.parts);
  readonly leverage = new SettingLeverage(this.parts);

  constructor(records: readonly JournalRecord[] = [], stamp?: Stamp) {
    super(records, stamp);
    this.onEnd = (order) => {
      this.amending.orderEnded(order);
    };
  }

  /** Another life on what a journal holds. */
  static revived(records: readonly JournalRecord[], stamp: Stamp): OperationRig {
    const rig = new OperationRig(records, stamp);
    const recovered = recoverOperations(records);
    rig.operations.takeOver(recovered.operations);
    for (const each of recoverOrders(records, ACCOUNT)) {
      const order = each.create(rig.ledger.nextKey);
      rig.ledger.add(order);
      rig.ledger.index(order);
      const plan = recovered.amended.get(order.clientOrderId);
      if (plan !== undefined) order.amendedTo(newTermsOf(order, plan));
    }
    for (const operation of rig.operations.open('amend')) {
      const order = rig.ledger.byClientOrderId(operation.plan.clientOrderId);
      if (order !== undefined) rig.amending.takeOver(operation, order);
    }
    rig.protecting.takeOver({ ...recovered, operations: rig.operations.open('protect') });
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
    ...(of.stopLoss !== undefined && { stopLoss: shownLeg(of.stopLoss) }),
    ...(of.takeProfit !== undefined && { takeProfit: shownLeg(of.takeProfit) }),
  });

const shownLeg = ([price, orderId]: readonly [string, string]) => ({
  price: d<'price'>(price),
  orderId,
});

interface LegCase {
  readonly slot?: LegSlot;
  readonly status?: OrderReport['status'];
  readonly quantity?: string;
  readonly clientOrderId?: string;
}

/** What the venue says of a leg: quantity 0 is the whole position (supplement, part 6). */
export const legOf = (orderId: string, price: string, of: LegCase = {}): OrderReport => ({
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
