import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import { DecisionRows, type OrderDecision } from './decision-rows.js';

const cause: fc.Arbitrary<DecisionCause> = fc.oneof(
  fc.record({
    kind: fc.constant('candle' as const),
    symbol: fc.constantFrom('BTCUSDT', 'ETHUSDT', 'SOLUSDT'),
    interval: fc.constantFrom('1m' as const, '4h' as const, '1w' as const),
    openTime: fc.nat(),
  }),
  fc.record({ kind: fc.constant('timer' as const), venueTime: fc.nat(), key: fc.string() }),
  fc.record({ kind: fc.constant('operator' as const), commandId: fc.string() }),
);
const decision: fc.Arbitrary<OrderDecision> = fc.record(
  {
    strategyId: fc.constantFrom('a', 'b'),
    cause,
    ordinal: fc.nat({ max: 1_000 }),
    leg: fc.nat({ max: 10 }),
    referencePrice: fc
      .constantFrom('0.5', '60000', '0.000000000001')
      .map((at) => fixedFromText(at)),
    decidedAt: fc.nat(),
    explanation: fc.string(),
    sizing: fc.string(),
  },
  { requiredKeys: ['strategyId', 'cause', 'ordinal', 'leg', 'referencePrice', 'decidedAt'] },
);

it('the decision of an order is the one it was placed by', () => {
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 30 }), (decisions) => {
      const rows = new DecisionRows();
      decisions.forEach((each, at) => rows.add(`b${at}`, each));
      expect(decisions.map((_, at) => rows.of(`b${at}`))).toEqual(decisions);
      expect(rows.of('b30')).toBeUndefined();
      const [first] = decisions;
      if (first === undefined) return;
      rows.add('late', first);
      expect(rows.of('late')).toEqual(first);
    }),
  );
});
