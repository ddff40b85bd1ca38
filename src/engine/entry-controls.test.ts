import { expect, it } from 'vitest';
import { EngineRig } from '../../test/support/rigs/engine-rig.js';
import { placement, reportOf, yes } from '../../test/support/rigs/protocol-rig.js';
import type { IntentCase } from '../../test/support/builders/risk-case.js';
import { createGate } from '../risk/gate.js';
import { DEFAULT_LIMITS, type RiskLimits } from '../risk/limits/risk-limits.js';

const HOUR = 3_600_000;

function trading(limits: Partial<RiskLimits> = {}): EngineRig {
  const rig = EngineRig.trading({
    gate: createGate({
      preset: 'standard',
      limits: { ...DEFAULT_LIMITS, duplicateWindowMs: 0, ...limits },
    }),
  });
  refresh(rig);
  return rig;
}

function refresh(rig: EngineRig, last = 60_000): void {
  rig.poll();
  rig.tick(last, last);
}

const refusal = (rig: EngineRig): unknown => rig.records.findLast(({ type }) => type === 'verdict');

/** A buy of 0.001 whose fill is at this price. */
function filledBuy(rig: EngineRig, of: IntentCase, average: string): void {
  expect(rig.submit(of), JSON.stringify(refusal(rig))).toBe('accepted');
  rig.answer('place', placement());
  const { terms } = rig.engine.ledger.byKey(rig.engine.ledger.nextKey - 1);
  rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '0.001', average })));
}

it('more entries than fit into a minute wait, and go when the minute is over', () => {
  const rig = trading({ breakers: { ...DEFAULT_LIMITS.breakers, maxEntriesPerMinute: 2 } });
  expect([0, 1, 2].map((ordinal) => rig.submit({ ordinal }))).toEqual([
    'accepted',
    'accepted',
    'refused-for-now',
  ]);
  expect(refusal(rig)).toMatchObject({ ok: false, control: 'R09' });
  expect(rig.engine.mode).toBe('TRADING');
  rig.pass(60_001);
  refresh(rig);
  expect(rig.submit({ ordinal: 3 }), JSON.stringify(refusal(rig))).toBe('accepted');
});

it('a price that left the decision behind stops an entry, and no exit', () => {
  const rig = trading();
  rig.tick(60_301, 60_301);
  expect(rig.submit({ ordinal: 1 })).toBe('refused');
  expect(refusal(rig)).toMatchObject({ ok: false, control: 'R27', key: 'max_price_drift_bps' });
});

it('a jump of the price within a second restricts its symbol to reductions, and to nothing more', () => {
  const rig = trading();
  rig.tick(56_000, 56_000);
  expect(rig.records.findLast(({ type }) => type === 'mode')).toMatchObject({
    symbol: 'BTCUSDT',
    to: 'REDUCE_ONLY',
    cause: expect.stringMatching(/60000 and 56000 are more than 5 % apart \(price_jump_pct\)/),
  });
  expect(rig.engine.mode).toBe('TRADING');
  expect(rig.submit({ reference: '56000' })).toMatch(/^refused/);
});

it('the preset research restricts nothing after a jump', () => {
  const gate = createGate({ preset: 'research', limits: DEFAULT_LIMITS });
  const rig = EngineRig.trading({ gate });
  refresh(rig);
  rig.tick(30_000, 30_000);
  expect(rig.records.filter((record) => record.type === 'mode' && 'symbol' in record)).toEqual([]);
});

it('an entry that would trade with our own resting order is refused', () => {
  const rig = trading();
  expect(rig.submit({ side: 'sell', price: '60010', reference: '60010' })).toBe('accepted');
  expect(rig.submit({ price: '60010', reference: '60010', ordinal: 1 })).toBe('refused');
  expect(refusal(rig)).toMatchObject({ control: 'R20', values: { resting: '60010' } });
  expect(rig.submit({ price: '60009.9', reference: '60009.9', ordinal: 2 })).toBe('accepted');
});

it('the third entry that fills far from its decision stops the strategy, and cancels its entries', () => {
  const rig = trading();
  for (const ordinal of [0, 1]) filledBuy(rig, { ordinal }, '60700');
  expect(rig.host.eventLog).not.toContain('stop');
  expect(rig.submit({ ordinal: 2 })).toBe('accepted');
  rig.answer('place', placement());
  const third = rig.engine.ledger.byKey(2);
  expect(rig.submit({ price: '55000', reference: '55000', ordinal: 3 })).toBe('accepted');
  const report = reportOf(third.terms, { status: 'filled', filled: '0.001', average: '60700' });
  rig.answerOrderQuery(yes(report));
  expect(rig.host.eventLog).toContain('stop');
  expect(rig.notes.filter(({ text }) => /R39, fill_slippage_bps/.test(text))).toHaveLength(1);
  expect(rig.engine.ledger.byKey(3)).toMatchObject({ active: false });
});

it('the third refused repeat of an order stops the strategy, and the log says so once', () => {
  const rig = trading();
  expect(rig.submit({})).toBe('accepted');
  for (let repeats = 0; repeats < 4; repeats += 1) expect(rig.submit({})).toMatch(/^refused/);
  expect(rig.host.eventLog).toContain('stop');
  const stops = rig.notes.filter(({ text }) => text.startsWith('cross stops: 3 refused repeats'));
  expect(stops).toMatchObject([{ level: 'error' }]);
  expect(stops[0]?.text).toContain('sluice strategy start cross');
});

it('entries that fill near their decisions stop nothing', () => {
  const rig = trading();
  for (const ordinal of [0, 1, 2, 3]) filledBuy(rig, { ordinal }, '60500');
  expect(rig.host.eventLog).not.toContain('stop');
});

it('an entry that has rested for a day is canceled, and a manual one is not', () => {
  const limits = { ...DEFAULT_LIMITS.protection, maxOrderLifetimeMs: 24 * HOUR };
  const rig = trading({ protection: limits });
  const resting = { price: '55000', reference: '55000' };
  expect(rig.submit({ ...resting, ordinal: 0 }, 48 * HOUR)).toBe('accepted');
  rig.answer('place', placement());
  const { terms } = rig.engine.ledger.byKey(0);
  rig.answerOrderQuery(yes(reportOf(terms, { status: 'created' })));
  rig.venueTime += 24 * HOUR - 60_000;
  rig.poll([], [reportOf(terms, { status: 'created' })]);
  expect(rig.pendingRequest('cancel')).toBeUndefined();
  rig.venueTime += 60_001;
  rig.poll([], [reportOf(terms, { status: 'created' })]);
  expect(rig.pendingRequest('cancel')).toBeDefined();
  expect(rig.records.some((record) => record.type === 'note' && /^R33/.test(record.text))).toBe(
    true,
  );
});

it('funding above the lower limit warns about an entry, and above the higher one refuses it', () => {
  const rig = trading();
  const nextSettlementMs = rig.venueTime + 30_000;
  const funding = { kind: 'funding', symbol: 'BTCUSDT', nextSettlementMs } as const;
  rig.handle({ ...funding, rate: 0.0006 });
  expect(rig.submit({ ordinal: 0 })).toBe('accepted');
  expect(rig.notes.at(-1)).toMatchObject({
    level: 'warn',
    text: 'cross: the next funding, within 60 s, costs 6 bps, limit 5 bps (funding_guard)',
  });
  rig.handle({ ...funding, rate: 0.0031 });
  expect(rig.submit({ ordinal: 1 })).toBe('refused');
  expect(refusal(rig)).toMatchObject({ control: 'R41', values: { cost_bps: '31' } });
});
