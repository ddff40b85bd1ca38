import { describe, expect, it } from 'vitest';
import { parseTraceQuery } from './trace-query.js';

const MINUTE_13 = Date.UTC(2025, 4, 5, 0, 13);

describe('parseTraceQuery', () => {
  it.each([
    ['abc-1', { kind: 'id', text: 'abc-1' }, undefined],
    ['abc-1 .sluice/demo', { kind: 'id', text: 'abc-1' }, '.sluice/demo'],
    ['BTCUSDT state', { kind: 'id', text: 'BTCUSDT' }, 'state'],
    [
      'BTCUSDT 2025-05-05T00:13:00Z',
      { kind: 'candle', symbol: 'BTCUSDT', time: MINUTE_13 },
      undefined,
    ],
    [`btc/usdt ${MINUTE_13}`, { kind: 'candle', symbol: 'BTCUSDT', time: MINUTE_13 }, undefined],
    [`BTCUSDT ${MINUTE_13} state`, { kind: 'candle', symbol: 'BTCUSDT', time: MINUTE_13 }, 'state'],
    [
      'candle:BTCUSDT:1m:2025-05-05T00:13:00Z state',
      { kind: 'candle', symbol: 'BTCUSDT', interval: '1m', time: MINUTE_13 },
      'state',
    ],
    [
      `candle:BTCUSDT:15m:${MINUTE_13}`,
      { kind: 'candle', symbol: 'BTCUSDT', interval: '15m', time: MINUTE_13 },
      undefined,
    ],
    [
      `candle:BTCUSDT:1m:${MINUTE_13}#0`,
      { kind: 'id', text: `candle:BTCUSDT:1m:${MINUTE_13}#0` },
      undefined,
    ],
    ['operator:abc#0', { kind: 'id', text: 'operator:abc#0' }, undefined],
  ] as const)('%s is parsed', (line, subject, stateDir) => {
    expect(parseTraceQuery(line.split(' '))).toEqual({ subject, stateDir });
  });

  it.each([
    ['a b c', /"c" is one argument too many/],
    ['BTCUSDT 2025-05-05T00:13:00Z a b', /"b" is one argument too many/],
    ['btc 2025-05-05T00:13:00Z', /not "btc"; did you mean BTCUSDT\?/],
    ['candle:BTCUSDT:7m:1746403980000', /"7m" is not an interval/],
    ['candle:BTCUSDT:1m:tomorrow', /"tomorrow" is not a time/],
  ])('parseTraceQuery refuses %s', (line, message) => {
    expect(() => parseTraceQuery(line.split(' '))).toThrow(message);
  });
});
