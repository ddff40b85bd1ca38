import { describe, expect, it } from 'vitest';
import { SymbolMap } from './symbol-map.js';

describe('a map by symbol and currency', () => {
  const filled = (): SymbolMap<string> => {
    const map = new SymbolMap<string>();
    map.getOrAdd('ETHUSDT', 'INR', () => 'first');
    map.getOrAdd('BTCUSDT', 'USDT', () => 'second');
    map.getOrAdd('ETHUSDT', 'USDT', () => 'third');
    return map;
  };

  it('the currencies of one symbol have values of their own', () => {
    const map = filled();
    expect(map.get('ETHUSDT', 'INR')).toBe('first');
    expect(map.get('ETHUSDT', 'USDT')).toBe('third');
    expect(map.get('BTCUSDT', 'INR')).toBeUndefined();
  });

  it('the values come in the order in which they were added, whatever their currency', () => {
    expect(filled().values).toEqual(['first', 'second', 'third']);
  });

  it('a known value stays, and a read adds none', () => {
    const map = filled();
    expect(map.getOrAdd('BTCUSDT', 'USDT', () => 'another')).toBe('second');
    map.get('SOLUSDT', 'USDT');
    expect(map.values).toHaveLength(3);
  });
});
