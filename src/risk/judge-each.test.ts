import { describe, expect, it } from 'vitest';
import { factsOf, intentOf } from '../../test/support/builders/risk-case.js';
import { CONTROLS } from './controls/table.js';
import { createGate } from './gate.js';
import { judgeEach } from './judge-each.js';
import { DEFAULT_LIMITS } from './limits/risk-limits.js';

describe('an order judged by every control', () => {
  it('an order within every limit passes each control, with its comparisons', () => {
    const judged = judgeEach(intentOf(), factsOf(), DEFAULT_LIMITS);
    expect(judged.map(({ control }) => control)).toEqual(CONTROLS.map(({ id }) => id));
    expect(judged.filter(({ refusal }) => refusal !== undefined)).toEqual([]);
    expect(judged.find(({ control }) => control === 'R01')?.margins).toEqual([
      { value: '60', limit: '500', unit: 'USDT' },
    ]);
  });

  it('every refusing control is listed, and the first of them is the gate’s', () => {
    const intent = intentOf({ quantity: '0.1' });
    const facts = factsOf({ lastAge: 4_000, leverage: '5' });
    const refusing = judgeEach(intent, facts, DEFAULT_LIMITS).filter(
      ({ refusal }) => refusal !== undefined,
    );
    expect(refusing.map(({ control }) => control)).toEqual(['R05', 'R15', 'R01', 'R12']);
    const verdict = createGate({ preset: 'standard', limits: DEFAULT_LIMITS }).judge(intent, facts);
    expect(verdict).toMatchObject({ ok: false, control: refusing[0]?.control });
  });

  it('a market exit passes beyond the limits of entries', () => {
    const intent = intentOf({ quantity: '0.1', side: 'sell', exit: true });
    const facts = factsOf({ position: '0.1', lastAge: 60_000 });
    const judged = judgeEach(intent, facts, DEFAULT_LIMITS);
    expect(judged.filter(({ refusal }) => refusal !== undefined)).toEqual([]);
  });
});
