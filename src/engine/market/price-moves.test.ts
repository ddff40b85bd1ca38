import { expect, it } from 'vitest';
import { textFromFixed } from '../../core/fixed/fixed.js';
import { PriceMoves } from './price-moves.js';

const MINUTE = 60_000;
const START = 1_746_403_200_000;

const jumpText = (moves: PriceMoves, at: number): string | undefined => {
  const jump = moves.jump('BTCUSDT', at);
  return jump && `${textFromFixed(jump.from)} → ${textFromFixed(jump.to)}`;
};
const ratioText = (moves: PriceMoves, at: number): string | undefined => {
  const ratio = moves.volatility('BTCUSDT', at);
  return ratio === undefined ? undefined : textFromFixed(ratio);
};

it('two prices within a second make a jump, two further apart make none', () => {
  const moves = new PriceMoves();
  moves.onPrice('BTCUSDT', 100, START);
  moves.onPrice('BTCUSDT', 90, START + 1_001);
  expect(jumpText(moves, START + 1_001)).toBeUndefined();
  moves.onPrice('BTCUSDT', 99, START + 2_001);
  expect(jumpText(moves, START + 2_001)).toBe('90 → 99');
});

it('a fall in small ticks within a second is one jump', () => {
  const moves = new PriceMoves();
  for (const step of [0, 1, 2, 3, 4]) moves.onPrice('BTCUSDT', 100 - step, START + step * 250);
  expect(jumpText(moves, START + 1_000)).toBe('100 → 96');
});

it('the largest jump of a minute is told until the minute is over', () => {
  const moves = new PriceMoves();
  moves.onPrice('BTCUSDT', 100, START);
  moves.onPrice('BTCUSDT', 110, START + 10);
  moves.onPrice('BTCUSDT', 111, START + 20_000);
  moves.onPrice('BTCUSDT', 112, START + 20_010);
  expect(jumpText(moves, START + 60_010)).toBe('100 → 110');
  expect(jumpText(moves, START + 60_011)).toBe('111 → 112');
  expect(jumpText(moves, START + 80_011)).toBeUndefined();
});

it('a price of 0, and a time that runs back, make no jump of their own', () => {
  const moves = new PriceMoves();
  moves.onPrice('BTCUSDT', 100, START);
  moves.onPrice('BTCUSDT', 0, START + 1);
  moves.onPrice('BTCUSDT', Number.NaN, START + 2);
  moves.onPrice('BTCUSDT', 101, START - 5_000);
  expect(jumpText(moves, START + 3)).toBe('100 → 101');
});

/** An hour of minutes with a range of 1 around 100. */
function calm(minutes = 60): PriceMoves {
  const moves = new PriceMoves();
  for (let index = 0; index < minutes; index += 1)
    moves.onMinute('BTCUSDT', START + index * MINUTE, 100.5, 99.5);
  return moves;
}

it('a minute is compared with the average range of the sixty before it', () => {
  const moves = calm();
  moves.onMinute('BTCUSDT', START + 60 * MINUTE, 104, 96);
  expect(ratioText(moves, START + 61 * MINUTE)).toBe('8');
});

it('the running minute counts by its ticks', () => {
  const moves = calm();
  moves.onPrice('BTCUSDT', 100, START + 60 * MINUTE + 1);
  moves.onPrice('BTCUSDT', 91, START + 60 * MINUTE + 20_000);
  expect(ratioText(moves, START + 60 * MINUTE + 20_000)).toBe('9');
});

it('a wild minute is told for five minutes after its end', () => {
  const moves = calm();
  moves.onMinute('BTCUSDT', START + 60 * MINUTE, 110, 90);
  for (let index = 61; index < 67; index += 1)
    moves.onMinute('BTCUSDT', START + index * MINUTE, 100.5, 99.5);
  expect(ratioText(moves, START + 66 * MINUTE - 1)).toBe('20');
  expect(Number(ratioText(moves, START + 66 * MINUTE))).toBeLessThan(1);
});

it('less than an hour of minutes has no average', () => {
  const moves = calm(59);
  moves.onMinute('BTCUSDT', START + 59 * MINUTE, 200, 50);
  expect(ratioText(moves, START + 60 * MINUTE)).toBeUndefined();
  expect(moves.volatility('ETHUSDT', START)).toBeUndefined();
});

it('a small range after an hour without trades is no wild minute', () => {
  const moves = new PriceMoves();
  for (let index = 0; index < 60; index += 1)
    moves.onMinute('BTCUSDT', START + index * MINUTE, 100.001, 100);
  moves.onMinute('BTCUSDT', START + 60 * MINUTE, 100.2, 100);
  expect(ratioText(moves, START + 61 * MINUTE)).toBe('0');
});

it('a candle that arrives after the next price belongs to its own minute', () => {
  const moves = calm();
  moves.onPrice('BTCUSDT', 100, START + 61 * MINUTE);
  moves.onMinute('BTCUSDT', START + 60 * MINUTE, 105, 95);
  expect(ratioText(moves, START + 61 * MINUTE)).toBe('10');
});
