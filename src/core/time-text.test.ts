import { expect, test } from 'vitest';
import { durationFromText, durationText, instantFromText } from './time-text.js';

test.each([
  ['1500ms', 1_500],
  ['30s', 30_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
])('%s is a duration', (text, ms) => {
  expect(durationFromText(text)).toBe(ms);
});

test.each(['', '30', 's', '0s', '-5s', '1.5h', '5 m', '5M', '1h30m', '1e3s', '99999999999999d'])(
  '%j is not a duration',
  (text) => {
    expect(durationFromText(text)).toBeUndefined();
  },
);

test.each([
  ['2025-05-05', Date.UTC(2025, 4, 5)],
  ['2025-05-05T07:30Z', Date.UTC(2025, 4, 5, 7, 30)],
  ['2025-05-05T07:30:15Z', Date.UTC(2025, 4, 5, 7, 30, 15)],
  ['2025-05-05T07:30:15.250Z', Date.UTC(2025, 4, 5, 7, 30, 15, 250)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
])('%s is an instant in UTC', (text, ms) => {
  expect(instantFromText(text)).toBe(ms);
});

test.each([
  '2025-05-05T07:30:15',
  '2025-05-05T07:30:15+02:00',
  '2025-02-30',
  '2025-02-30T00:00:00Z',
  '2025-05-05T25:00Z',
  '2025-5-5',
  '05.05.2025',
  'now',
  '1746403200',
])('%s is ambiguous or not a time, and is refused', (text) => {
  expect(instantFromText(text)).toBeUndefined();
});

test.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_000, '59 min'],
  [3_900_000, '1 h 5 min'],
  [183_600_000, '2 d 3 h'],
])('%i ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
