import { describe, expect, it } from 'vitest';
import { candlesFromCloses, simulate } from '../../src/testing/index.js';
import { defineStrategy, z, type StrategyContext } from '../../src/strategy/index.js';

/** Asks once, on the second candle of 100, by the engine of a backtest. */
function once(submit: (context: StrategyContext) => void, closes = [100, 100, 100]) {
  const strategy = defineStrategy({
    name: 'asks-once',
    params: z.object({}),
    create: () => {
      let candles = 0;
      return {
        onCandle(context) {
          candles++;
          if (candles === 2) submit(context);
        },
      };
    },
  });
  return simulate({ strategy, candles: candlesFromCloses(closes), params: {} });
}

const BEYOND = 2e15;
const buy = { side: 'buy' } as const;

/** The twin of the words after "Refused:" in the signatures of docs/strategies.md. */
describe('an intent that the signatures call refused asks for nothing, and says why', () => {
  it.each<[string, (context: StrategyContext) => void]>([
    ['target NaN', (context) => context.target(Number.NaN)],
    ['target 1.01', (context) => context.target(1.01)],
    ['target -1.01', (context) => context.target(-1.01)],
    ['target of another symbol', (context) => context.target(1, 'OTHERUSDT')],
    ['targetQuantity NaN', (context) => context.targetQuantity(Number.NaN)],
    ['targetQuantity beyond 1e15', (context) => context.targetQuantity(BEYOND)],
    ['enter conviction 0', (context) => context.enter({ ...buy, conviction: 0 })],
    ['enter conviction above 1', (context) => context.enter({ ...buy, conviction: 1.1 })],
    ['enter quantity 0', (context) => context.enter({ ...buy, quantity: 0 })],
    ['enter quantity NaN', (context) => context.enter({ ...buy, quantity: Number.NaN })],
    ['enter with a stop above a buy', (context) => context.enter({ ...buy, stopLoss: 101 })],
    ['enter with a target below a buy', (context) => context.enter({ ...buy, takeProfit: 99 })],
    ['limit price 0', (context) => context.limit({ ...buy, price: 0 })],
    ['limit price beyond 1e15', (context) => context.limit({ ...buy, price: BEYOND })],
    ['limit quantity -1', (context) => context.limit({ ...buy, price: 90, quantity: -1 })],
    ['limit below a step', (context) => context.limit({ ...buy, price: 90, quantity: 1e-12 })],
    ['cancel of no order', (context) => context.cancel(4711)],
    ['protect without a position', (context) => context.protect({ stopLoss: 90 })],
    ['protect that says nothing', (context) => context.protect({})],
  ])('%s', (_name, submit) => {
    const { orders, refusals, errors } = once(submit);
    expect(orders).toEqual([]);
    expect(refusals).not.toEqual([]);
    expect(errors).toEqual([]);
  });
});

describe('a call that the signatures say throws', () => {
  it.each<[string, (context: StrategyContext) => void, RegExp]>([
    ['timer at NaN', (context) => context.timer(Number.NaN, 'key'), /whole ms/],
    ['timer at 1.5', (context) => context.timer(1.5, 'key'), /whole ms/],
    ['candles', (context) => void context.candles('1h'), /name 1h in intervals/],
    ['of', (context) => void context.of('OTHERUSDT'), /not a symbol of this instance/],
    ['quantityOf nothing', (context) => void context.quantityOf({}), /exactly one of/],
    [
      'quantityOf two things',
      (context) => void context.quantityOf({ quantity: 1, notional: 1 }),
      /exactly one of/,
    ],
    ['quantityOf NaN', (context) => void context.quantityOf({ notional: Number.NaN }), /above 0/],
    [
      'quantityOf stopLoss NaN',
      (context) => void context.quantityOf({ riskPct: 1, stopLoss: Number.NaN }),
      /stopLoss is NaN, not above 0/,
    ],
    ...[0, -1, 1, 2.5, Number.NaN].map(
      (lookback): [string, (context: StrategyContext) => void, RegExp] => [
        `quantityOf lookback ${lookback}`,
        (context) => void context.quantityOf({ volatilityPct: 20, lookback }),
        /lookback is .*, not a whole number from 2/,
      ],
    ),
  ])('%s names the value', (_name, submit, message) => {
    expect(() => once(submit)).toThrow(message);
  });
});
