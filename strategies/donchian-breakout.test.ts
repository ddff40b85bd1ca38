import { candlesFrom, simulate, type Simulation } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import donchianBreakout from './donchian-breakout.js';

const PARAMS = { entry: 3, exit: 2 };

/** Candles whose high and low stand 1 from the close. */
const candlesOf = (closes: readonly number[]) =>
  candlesFrom(closes.map((close) => ({ open: close, high: close + 1, low: close - 1, close })));

const run = (closes: readonly number[], history = 0) =>
  simulate({ strategy: donchianBreakout, candles: candlesOf(closes), params: PARAMS, history });

/** The candle at whose close each order was decided; the second one of a reversal follows its fill. */
const ordersOf = ({ orders }: Simulation) =>
  orders.map(({ index, side, reduceOnly }) => `#${index} ${side}${reduceOnly ? ', reduces' : ''}`);

describe('donchian-breakout', () => {
  it('goes long on a close above the highest high of the candles before, not of its own', () => {
    const touching = run([10, 10, 10, 11, 12]);
    // 11 only touches the high of 11 at index 3; 12 ties with the high of index 3.
    expect(touching.orders).toEqual([]);
    expect(touching.state).toBe('running');
    expect(ordersOf(run([10, 10, 10, 11.5]))).toEqual(['#3 buy']);
  });

  it('goes short on a close below the lowest low of the candles before', () => {
    expect(ordersOf(run([10, 10, 10, 8.5]))).toEqual(['#3 sell']);
  });

  it('leaves a long at the exit channel, which is shorter, and stays out', () => {
    const simulation = run([10, 10, 10, 20, 30, 40, 28, 28]);
    expect(ordersOf(simulation)).toEqual(['#3 buy', '#6 sell, reduces']);
    expect(simulation.positions).toEqual([0, 0, 0, 0, 1, 1, 1, 0]);
  });

  it('reverses with two orders when the other side breaks out', () => {
    const simulation = run([10, 10, 10, 12, 5, 5]);
    expect(ordersOf(simulation)).toEqual(['#3 buy', '#4 sell, reduces', '#5 sell']);
    expect(simulation.positions.at(-1)).toBe(-1);
  });

  it('does nothing before its channels are warm', () => {
    expect(run([10, 20, 40]).orders).toEqual([]);
  });

  it('orders nothing on history, and acts on the next breakout', () => {
    expect(ordersOf(run([10, 10, 10, 12, 14.5], 4))).toEqual(['#4 buy']);
  });
});
