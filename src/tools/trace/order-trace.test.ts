import { describe, expect, it } from 'vitest';
import { BotWorld } from '../../../test/support/rigs/bot-world.js';
import { demoConfig } from '../../../test/support/builders/demo-config.js';
import { d } from '../../../test/support/builders/risk-case.js';
import { fixedFromText, textFromFixed } from '../../core/fixed/fixed.js';
import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import { fillTraces, orderTrace } from './order-trace.js';
import { scaledOf } from '../../../test/support/builders/scaled.js';

const PLACE = 'POST /fapi/v2/futures/order';
const ID = 'abcdef-1-a1';
const at = (second: number): number => Date.UTC(2025, 4, 5, 0, 0, second);

const intent: JournalRecordOf<'intent'> = {
  type: 'intent',
  venueTime: at(0),
  clientOrderId: ID,
  generation: 1,
  strategyId: 'mine',
  cause: { kind: 'candle', symbol: 'BTCUSDT', interval: '1m', openTime: at(-60) },
  ordinal: 0,
  decisionKey: `candle:BTCUSDT:1m:${at(-60)}#0`,
  leg: 0,
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: 'market',
    quantity: d('0.004'),
    reduceOnly: false,
  },
  referencePrice: d('60000'),
  decidedAt: at(0),
  validUntil: at(120),
  payloadHash: 'hash',
  reserved: d('240'),
};
const attempt = (number: number, second: number): JournalRecord => ({
  ...{ type: 'attempt', venueTime: at(second), clientOrderId: ID, attempt: number, generation: 1 },
});
const update = (second: number, filled: string, average: string, final = false) => ({
  type: 'update' as const,
  venueTime: at(second),
  clientOrderId: ID,
  orderId: 'v-1',
  status: final ? ('filled' as const) : ('partially-filled' as const),
  filledQuantity: d<'quantity'>(filled),
  averagePrice: d<'price'>(average),
  final,
});

describe('orderTrace', () => {
  it.each<[string, readonly JournalRecord[], string]>([
    ['nothing sent', [intent], 'waiting to be sent'],
    ['no answer yet', [intent, attempt(1, 1)], 'sent, not answered'],
    [
      'an answer that was lost',
      [
        intent,
        attempt(1, 1),
        {
          ...{ type: 'outcome', venueTime: at(6), clientOrderId: ID, attempt: 1 },
          ...{ outcome: 'unknown', sent: true, cause: 'time-out' },
        },
      ],
      'unproved',
    ],
    ['a part', [intent, attempt(1, 1), update(2, '0.001', '60000')], 'partially filled'],
    ['all of it', [intent, attempt(1, 1), update(2, '0.004', '60000', true)], 'filled'],
    [
      'a rejection',
      [
        intent,
        {
          ...{ type: 'dropped', venueTime: at(2), clientOrderId: ID },
          reason: 'rejected: insufficient balance',
        },
      ],
      'rejected',
    ],
    [
      'a drop',
      [intent, { type: 'dropped', venueTime: at(2), clientOrderId: ID, reason: 'too late' }],
      'dropped',
    ],
    [
      'a burned id',
      [intent, { type: 'burned', venueTime: at(2), clientOrderId: ID, evidence: 'looked' }],
      'burned',
    ],
  ])('an order with %s has its state', (_name, records, state) => {
    expect(orderTrace(ID, records).state).toBe(state);
  });

  it('the trace of an order that never landed shows its fences, with terms and outcomes', () => {
    const fence: JournalRecordOf<'fence'>['terms'] = {
      ...intent.terms,
      type: 'limit',
      price: d('54000'),
      quantity: d('0.001'),
    };
    const of = { clientOrderId: ID };
    const answer = (number: number, second: number) => ({
      ...{ type: 'fence-outcome' as const, venueTime: at(second), ...of, attempt: number },
    });
    const begun: readonly JournalRecord[] = [
      intent,
      attempt(1, 1),
      {
        ...{ type: 'instruction', venueTime: at(5), ...of },
        ...{ instruction: 'withdraw', reason: 'its validity ran out' },
      },
      { type: 'fence', venueTime: at(6), ...of, attempt: 1, terms: fence },
      { ...answer(1, 7), outcome: 'unknown', sent: true, cause: 'time-out' },
      { type: 'fence', venueTime: at(8), ...of, attempt: 2, terms: fence },
    ];
    const texts = (last: JournalRecord) => {
      const { evidence, state } = orderTrace(ID, [...begun, last]);
      return [...evidence.map(({ text }) => text), state];
    };
    const landed = { ...answer(2, 9), outcome: 'yes', orderId: 'v-1' } as const;
    expect(texts(landed)).toEqual([
      'withdrawn, never sent again: its validity ran out',
      'fence 1: a harmless order is sent under its id and canceled, so that this order can never land: buy 0.001 BTCUSDT limit at 54000',
      'fence 1: no clear answer: time-out; it may have taken effect; nothing is proved, and the fence is repeated',
      'fence 2: a harmless order is sent under its id and canceled, so that this order can never land: buy 0.001 BTCUSDT limit at 54000',
      'fence 2: the venue created order v-1: the fence has the id, so this order never landed',
      'never landed, its fence is being canceled',
    ]);
    const used = { ...answer(2, 9), outcome: 'no', status: 409, text: 'duplicate' } as const;
    expect(texts({ ...used, code: 'client-order-id-exists' }).slice(-2)).toEqual([
      'fence 2: the venue refused: 409 client-order-id-exists: duplicate: the id was used before, so this order landed or was rejected finally',
      'sent, not answered',
    ]);
  });

  it('the trace of a resolved order ends with the operator command', () => {
    const { state, end } = orderTrace(ID, [
      intent,
      attempt(1, 1),
      {
        ...{ type: 'update', venueTime: at(9), clientOrderId: ID, status: 'canceled' },
        ...{ filledQuantity: d('0'), final: true, reason: 'a person says that it never landed' },
      },
    ]);
    expect([state, end?.reason]).toEqual(['canceled', 'a person says that it never landed']);
  });

  it('each attempt is paired with its outcome', () => {
    const records: JournalRecord[] = [
      intent,
      attempt(1, 1),
      {
        ...{ type: 'outcome', venueTime: at(2), clientOrderId: ID, attempt: 1 },
        ...{ outcome: 'no', code: 'rate-limited', status: 429, text: 'slow down' },
      },
      attempt(2, 4),
      {
        ...{ type: 'outcome', venueTime: at(5), clientOrderId: ID, attempt: 2 },
        ...{ outcome: 'yes', orderId: 'v-1', positionId: 'p-1' },
      },
      attempt(3, 6),
    ];
    expect(orderTrace(ID, records)).toMatchObject({
      order_id: 'v-1',
      position_id: 'p-1',
      attempts: [
        { attempt: 1, outcome: 'no', took_ms: 1_000, text: /429 rate-limited/ },
        { attempt: 2, outcome: 'yes', took_ms: 1_000, text: 'the venue created order v-1' },
        { attempt: 3, text: 'no answer was journaled' },
      ].map((each) =>
        each.attempt === 1
          ? { ...each, text: 'the venue refused: 429 rate-limited: slow down' }
          : each,
      ),
    });
  });

  it('each fill gets its own price, from the averages of the venue', () => {
    const fills = fillTraces([
      update(1, '0.001', '60000'),
      update(2, '0.001', '60000'),
      update(3, '0.004', '60030', true),
    ]);
    expect(fills).toMatchObject([
      { quantity: '0.001', price: '60000', filled: '0.001' },
      { quantity: '0.003', price: '60040', filled: '0.004', average_price: '60030' },
    ]);
  });

  it('the complete records of an archive win over the summary of a compaction', () => {
    const past: JournalRecord = {
      ...{ type: 'past', venueTime: at(9), clientOrderId: ID, generation: 1, strategyId: 'mine' },
      cause: { kind: 'candle', symbol: 'BTCUSDT', interval: '1m', openTime: at(-60) },
      ...{ ordinal: 0, leg: 0, terms: intent.terms },
      ...{ referencePrice: d<'price'>('60000'), decidedAt: at(0), validUntil: at(120) },
      ...{ state: 'filled', attempts: 1, wanted: true, unknownSeen: false, conflictSeen: false },
      ...{ filledQuantity: d<'quantity'>('0.004'), averagePrice: d<'price'>('60030') },
    };
    const whole = [intent, attempt(1, 1), update(2, '0.004', '60030', true)];
    expect(orderTrace(ID, [...whole, past])).toEqual(orderTrace(ID, whole));
    expect(orderTrace(ID, [past])).toMatchObject({
      state: 'filled',
      filled_quantity: '0.004',
      decision: { strategy: 'mine' },
    });
  });
});

describe('the traces of a run with lost responses, locks and rate limits', () => {
  it('every trace has the final state of the venue, and fills that add up', async () => {
    const world = new BotWorld({
      config: demoConfig(),
      sandbox: { clock: { kind: 'fast', factor: 60 } },
      faults: [
        { on: PLACE, fault: 'resp_lost', probability: 0.2 },
        { on: PLACE, fault: '500_after', probability: 0.15 },
        { on: PLACE, fault: '423(2)', probability: 0.1 },
        { on: PLACE, fault: '429(3)', probability: 0.1 },
      ],
    });
    const bot = await world.start();
    await world.time.run(90_000);
    await world.setFaults([]);
    await world.time.run(30_000);
    await world.stop(bot);
    const journal = await world.journal();
    const own = world.ownOrders();
    expect(own.length).toBeGreaterThan(10);
    let unclear = 0;
    for (const order of own) {
      const id = order.clientOrderId ?? '';
      const records = journal.filter(
        (record) => 'clientOrderId' in record && record.clientOrderId === id,
      );
      const trace = orderTrace(id, records);
      expect(trace.state).toBe(order.status);
      expect(trace.order_id).toBe(order.orderId);
      expect(trace.filled_quantity).toBe(textFromFixed(order.filledQuantity));
      const sum = trace.fills.reduce(
        (total, { quantity }) => total + scaledOf(fixedFromText(quantity)),
        0,
      );
      expect(sum).toBe(order.filledQuantity);
      expect(trace.verdict).toMatchObject({ approved: true });
      expect(trace.verdict?.margins.every(({ distance }) => !distance.startsWith('-'))).toBe(true);
      expect(trace.attempts.length).toBeGreaterThan(0);
      const unknown = trace.attempts.some(({ outcome }) => outcome === 'unknown');
      if (!unknown) continue;
      unclear += 1;
      expect(trace.evidence.length).toBeGreaterThan(0);
    }
    expect(unclear).toBeGreaterThan(2);
  }, 60_000);
});
