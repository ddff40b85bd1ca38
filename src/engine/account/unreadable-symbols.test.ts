import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import {
  placement,
  reportOf,
  unknown,
  unsent,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import type { OrderReport } from '../../core/order.js';
import type { Outcome } from '../../core/request.js';
import { recover } from '../../execution/recovery/recovery.js';

const ETH = { ...BTC, symbol: 'ETHUSDT', assetId: 'eth', baseAsset: 'ETH' };
const HOSTS = [{ id: 'cross', interval: '1m', symbols: ['BTCUSDT', 'ETHUSDT'] }] as const;
const ROW = { symbol: 'BTCUSDT', id: 'p1', fault: 'quantity is out of range' };

interface Lists {
  readonly positions?: readonly PositionReport[];
  readonly orders?: readonly OrderReport[];
  readonly hiddenPositions?: boolean;
  readonly hiddenOrders?: boolean;
}

/** One round of polls, with a readable or unreadable row of BTCUSDT. */
function poll(rig: EngineRig, lists: Lists = {}): void {
  const { positions = [], orders = [], hiddenPositions, hiddenOrders } = lists;
  rig.pass(2_000);
  rig.tick(60_000);
  const at = { currency: 'USDT', startedAt: rig.monotonic } as const;
  const wallet = { currency: 'USDT', balance: d<'USDT'>('10000'), locked: d<'USDT'>('0') } as const;
  const unreadable = [ROW];
  rig.snapshot({ kind: 'wallet', ...at, wallet });
  rig.snapshot({ kind: 'open-orders', ...at, orders, ...(hiddenOrders && { unreadable }) });
  rig.snapshot({ kind: 'positions', ...at, positions, ...(hiddenPositions && { unreadable }) });
  while (rig.pendingRequest('read-closes') !== undefined) rig.answer('read-closes', yes([]));
}
const polls = (rig: EngineRig, count: number, lists: Lists = {}): void => {
  for (let round = 0; round < count; round += 1) poll(rig, lists);
};

function starting(options: ConstructorParameters<typeof EngineRig>[0] = {}): EngineRig {
  const rig = new EngineRig({ hosts: HOSTS, ...options });
  rig.handle({ kind: 'instruments', instruments: [BTC, ETH] });
  while (rig.pendingRequest('read-leverage') !== undefined)
    rig.answer('read-leverage', yes(d('2')));
  return rig;
}

/** Trades two symbols, and holds 1 BTCUSDT by an order of its own. */
function holding(): EngineRig {
  const rig = starting();
  polls(rig, 2);
  rig.submit({ quantity: '1' });
  rig.answer('place', placement());
  rig.answerOrderQuery(yes(reportOf(rig.engine.ledger.byKey(0).terms, filled('1'))));
  polls(rig, 20, { positions: [positionRow('1')] });
  rig.notes.length = 0;
  return rig;
}
const filled = (quantity: string) =>
  ({ status: 'filled', filled: quantity, average: '60000' }) as const;
const position = (rig: EngineRig) => rig.engine.positions.quantity('BTCUSDT', 'USDT');
const notesMatching = (rig: EngineRig, text: RegExp) =>
  rig.notes.filter((note) => text.test(note.text)).length;
const noted = (rig: EngineRig, text: RegExp) =>
  rig.records.filter((record) => record.type === 'note' && text.test(record.text)).length;

describe('a symbol with an unreadable position row', () => {
  it('the symbol may only be reduced, and other symbols trade', () => {
    const rig = holding();
    poll(rig, { hiddenPositions: true });
    expect(rig.submit({ ordinal: 1 })).toBe('refused-for-now');
    expect(rig.engine.counts.refusedBy.get('UNREADABLE')?.lastText).toBe(
      'BTCUSDT is unknown: its row of the positions in USDT does not read: quantity is out of range',
    );
    expect(rig.submit({ ordinal: 2, symbol: 'ETHUSDT' })).toBe('accepted');
    expect(rig.submit({ ordinal: 3, exit: true, side: 'sell', quantity: '1' })).toBe('accepted');
    expect(rig.sent.filter(({ request }) => request.kind === 'place')).toHaveLength(2);
    expect(rig.engine.mode).toBe('TRADING');
  });

  it('the symbol is reported once, and once more when its row is readable again and it trades', () => {
    const rig = holding();
    polls(rig, 5, { hiddenPositions: true });
    expect(notesMatching(rig, /^BTCUSDT is unknown: .*quantity is out of range/)).toBe(1);
    expect(noted(rig, /^BTCUSDT is unknown/)).toBe(1);
    expect(notesMatching(rig, /reads again/)).toBe(0);
    polls(rig, 5, { positions: [positionRow('1')] });
    expect(notesMatching(rig, /^BTCUSDT reads again/)).toBe(1);
    expect(noted(rig, /^BTCUSDT reads again/)).toBe(1);
    expect(rig.submit({ ordinal: 1 })).toBe('accepted');
  });

  it('the symbol does not count as flat, however often the list lacks it', () => {
    const rig = holding();
    polls(rig, 60, { hiddenPositions: true });
    expect(position(rig)).toBe(d('1'));
    expect(rig.engine.halts.reason('BTCUSDT')).toBeUndefined();
    expect(rig.engine.isReconciled).toBe(false);
    polls(rig, 1, { positions: [positionRow('1')] });
    expect(rig.engine.isReconciled).toBe(true);
    polls(rig, 20);
    expect(position(rig), 'a readable list without it shows it flat').toBe(0);
  });

  it('an entry makes its next attempt only when the row is readable again', () => {
    const rig = holding();
    rig.submit({ ordinal: 1 });
    poll(rig, { hiddenPositions: true });
    rig.answer('place', unsent);
    polls(rig, 3, { hiddenPositions: true });
    expect(rig.pendingRequest('place')).toBeUndefined();
    polls(rig, 3, { positions: [positionRow('1')] });
    expect(rig.submit({ ordinal: 2 })).toBe('accepted');
  });

  it('a start trades the other symbols and keeps the journaled position of this one', () => {
    const left = recover(holding().records, 'rig');
    const rig = starting({ recovered: left });
    polls(rig, 20, { hiddenPositions: true });
    expect(rig.engine.mode).toBe('TRADING');
    expect(rig.host.eventLog).toContain('start');
    expect(position(rig)).toBe(d('1'));
    expect(rig.engine.positions.unrealised('BTCUSDT', 'USDT', d('90000'))).toBe(0);
    expect(rig.submit({ ordinal: 8 })).toBe('refused-for-now');
    expect(rig.submit({ ordinal: 9, symbol: 'ETHUSDT' })).toBe('accepted');
    polls(rig, 3, { positions: [positionRow('1')] });
    expect(rig.engine.positions.entryPrice('BTCUSDT', 'USDT')).toBe(d('60000'));
    expect(rig.engine.halts.reason('BTCUSDT')).toBeUndefined();
    expect(rig.engine.isReconciled).toBe(false);
  });
});

describe('a symbol with an unreadable open-order row', () => {
  const resting = () => {
    const rig = holding();
    rig.submit({ ordinal: 1, price: '50000' });
    rig.answer('place', placement('o-2'));
    const order = rig.engine.ledger.byKey(1);
    const report = { ...reportOf(order.terms), orderId: 'o-2', clientOrderId: order.clientOrderId };
    rig.answerOrderQuery(yes(report));
    polls(rig, 3, { positions: [positionRow('1')], orders: [report] });
    return { rig, order, report };
  };

  it('an order of ours that the list lacks stays open, and the symbol is not increased', () => {
    const { rig, order } = resting();
    polls(rig, 10, { positions: [positionRow('1')], hiddenOrders: true });
    expect(order.ended).toBe(false);
    expect(order.openOrdersMisses).toBe(0);
    expect(rig.submit({ ordinal: 2 })).toBe('refused-for-now');
  });
});

describe('order history with an unreadable row', () => {
  const history: Outcome<readonly OrderReport[]> = { kind: 'yes', value: [], unreadable: [ROW] };

  it('it does not prove that an order of that symbol never existed', () => {
    const rig = holding();
    rig.submit({ ordinal: 1 });
    rig.answer('place', unknown());
    rig.answerOrderQuery({
      kind: 'no',
      code: 'order-not-found',
      text: 'order not found',
      status: 404,
    });
    rig.answer('read-order-history', history);
    const order = rig.engine.ledger.byKey(1);
    expect(order.evidence).toContain('a row of BTCUSDT does not read');
    expect(order.attempts).toBe(1);
  });
});
