import { expect, test } from 'vitest';
import { intentFault, type Intent } from './intent.js';

/** As plain JavaScript can make them. */
const untyped = (intent: unknown): Intent => intent as Intent;
const symbol = 'BTCUSDT';

test.each([
  ['1', 'the text "1"'],
  ['-1', 'the text "-1"'],
  [[1], 'an array'],
  [{}, 'an object'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'undefined'],
])('a target of %j is no number, and is refused before it is sized', (conviction, text) => {
  expect(intentFault(untyped({ kind: 'target', symbol, conviction }))).toBe(
    `conviction is ${text}, not a number within -1 … 1`,
  );
  const { request, ...enter } = { kind: 'enter', symbol, request: { side: 'buy', conviction } };
  if (conviction !== undefined)
    expect(intentFault(untyped({ ...enter, request }))).toMatch(/^conviction is /);
});

test.each(['1', true, [1], null])('a quantity or price of %j is refused', (value) => {
  const faults = [
    { kind: 'target-quantity', symbol, quantity: value },
    { kind: 'enter', symbol, request: { side: 'buy', quantity: value } },
    { kind: 'enter', symbol, request: { side: 'buy', stopLoss: value } },
    { kind: 'limit', symbol, request: { side: 'buy', price: value } },
    { kind: 'limit', symbol, request: { side: 'buy', price: 1, quantity: value } },
    { kind: 'protect', symbol, request: { takeProfit: value } },
  ].map((intent) => intentFault(untyped(intent)));
  expect(faults).toEqual(faults.map(() => expect.stringContaining('not a number') as string));
});

test.each([-1, -0, 0, 0.5, 1])('a target of the number %d is accepted', (conviction) => {
  expect(intentFault({ kind: 'target', symbol, conviction })).toBeUndefined();
});
