import { expect, it } from 'vitest';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { entryStateKey } from '../../strategy/contract/entry-settings.js';
import { adoptedLeverage } from './adopted-leverage.js';

const adopt = (symbol: string, kept = true): JournalRecord => ({
  type: 'ownership',
  venueTime: 1,
  decision: 'adopt',
  strategyId: 'cross',
  to: 'cross',
  symbols: [symbol],
  orders: [],
  kept: kept ? [{ key: entryStateKey(symbol), version: 1, value: '{}' }] : [],
  dropped: [],
  reason: 'leverage',
  decidedAt: 1,
});
const mode = (to: 'RECONCILING' | 'TRADING'): JournalRecord => ({
  type: 'mode',
  venueTime: 2,
  from: 'STARTING',
  to,
  cause: 'start',
});

it('an accepted leverage waits until a run trades, and not after a compaction', () => {
  const symbolsAfter = (...records: readonly JournalRecord[]) => [...adoptedLeverage(records)];
  expect(symbolsAfter()).toEqual([]);
  expect(symbolsAfter(mode('TRADING'), adopt('BTCUSDT'))).toEqual(['BTCUSDT']);
  expect(symbolsAfter(adopt('BTCUSDT'), mode('RECONCILING'))).toEqual(['BTCUSDT']);
  expect(symbolsAfter(adopt('BTCUSDT'), mode('TRADING'), adopt('ETHUSDT'))).toEqual(['ETHUSDT']);
  expect(symbolsAfter(adopt('BTCUSDT', false))).toEqual([]);
});
