import { expect, test } from 'vitest';
import { HEARTBEAT_CELL, HEARTBEAT_CELLS, PHASE } from './heartbeat.js';
import { LINE_CLEAR } from '../core/terminal-text.js';
import { ProgressLine, progressText } from './progress-line.js';

const OPEN_TIME = Date.UTC(2023, 4, 6, 12);

test('the line has a bar, the share, the date of the candle, the rate and the remaining time', () => {
  const text = progressText({ done: 250, total: 1_000, openTime: OPEN_TIME, elapsedMs: 500 });
  expect(text.trimEnd()).toBe(
    '[######------------------]  25 %  2023-05-06  500 candles/s  2 s left',
  );
});

test.each([
  [60, '60 s left'],
  [600, '10 min left'],
  [9_000, '2 h 30 min left'],
])('a remaining time of %i seconds reads as %s', (seconds, text) => {
  const progress = { done: 1, total: seconds + 1, openTime: 0, elapsedMs: 1_000 };
  expect(progressText(progress)).toContain(text);
});

test('a terminal shows the line after half a second, a file or a pipe never', () => {
  const heartbeat = new Float64Array(HEARTBEAT_CELLS);
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.run;
  heartbeat[HEARTBEAT_CELL.candles] = 10;
  const drawn = (isTerminal: boolean): string => {
    let [text, now] = ['', 0];
    const clock = { monotonicMs: () => now, utcMs: () => 0 };
    const line = new ProgressLine({ isTerminal, clock, stderr: (part) => void (text += part) });
    for (; now <= 400; now += 50) line.show(heartbeat, 100);
    expect(text).toBe('');
    for (; now <= 600; now += 50) line.show(heartbeat, 100);
    line.clear();
    return text;
  };
  expect(drawn(true)).toMatch(/10 %/);
  expect(drawn(true).endsWith(LINE_CLEAR)).toBe(true);
  expect(drawn(false)).toBe('');
});
