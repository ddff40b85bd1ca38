import { describe, expect, it } from 'vitest';
import {
  d,
  explanationOf,
  type ControlCase,
  type FactsCase,
} from '../../../test/support/builders/risk-case.js';
import { DEFAULT_LIMITS } from '../limits/risk-limits.js';
import { accountExposure, marginUtilisation } from './account-exposure.js';

const passes = 'passes';
/** ETH at 3,000 with leverage 2. */
const ether = (position: string): FactsCase => ({
  others: [['ETHUSDT', position, '3000', '2']],
});

const runs = (control: typeof accountExposure, rows: readonly ControlCase[]): void => {
  it.each(rows)('$name', (row) => {
    const expected = row.refused ?? passes;
    if (expected === passes) expect(explanationOf(control, row)).toBe(passes);
    else expect(explanationOf(control, row)).toMatch(expected);
  });
};

describe('R13 max_gross_exposure_pct and max_net_exposure_pct', () => {
  const wide = { exposure: { ...DEFAULT_LIMITS.exposure, maxGrossShare: d<'ratio'>('100') } };
  runs(accountExposure, [
    { name: 'one symbol below the limit', intent: { quantity: '0.2' } },
    { name: 'one symbol at the limit', intent: { quantity: '0.25' } },
    {
      name: 'one symbol one step above the limit',
      intent: { quantity: '0.251' },
      refused: /^gross exposure of the worst positions 15060 is above 15000 USDT$/,
    },
    { name: 'two symbols at the limit', intent: { quantity: '0.2' }, facts: ether('1') },
    {
      name: 'two symbols one step above the limit',
      intent: { quantity: '0.201' },
      facts: ether('1'),
      refused: /gross exposure of the worst positions 15060/,
    },
    {
      name: 'a long and a short add up to the gross exposure',
      intent: { quantity: '0.201' },
      facts: ether('-1'),
      refused: /gross/,
    },
    {
      name: 'a long and a short offset each other in the net exposure',
      intent: { quantity: '0.3' },
      facts: ether('-1'),
      limits: wide,
    },
    {
      name: 'the net exposure above its limit',
      intent: { quantity: '0.301' },
      facts: ether('-1'),
      limits: wide,
      refused: /^net exposure of the worst positions 15060 is above 15000 USDT$/,
    },
    {
      name: 'the net exposure of a sell counts shorts',
      intent: { quantity: '0.201', side: 'sell' },
      facts: ether('-1'),
      limits: wide,
      refused: /net exposure of the worst positions 15060/,
    },
    {
      name: 'orders of unknown outcome count as filled',
      facts: { longest: '0.25' },
      refused: /gross exposure of the worst positions 15060/,
    },
    { name: 'no equity', facts: { equity: null }, refused: /USDT equity is not known/ },
    { name: 'no price', facts: { last: null }, refused: /price of BTCUSDT is not known/ },
    {
      name: 'no price of another symbol',
      facts: { others: [['ETHUSDT', '1', null, '2']] },
      refused: /price of ETHUSDT is not known/,
    },
    {
      name: 'an order of others on a symbol without a price counts at its limit',
      facts: { others: [['ETHUSDT', '1', null, '2']], externalOrderPrice: '3000' },
    },
    { name: 'an order on the smaller side', intent: { side: 'sell' }, facts: { position: '9' } },
    {
      name: 'an exit passes without any data',
      intent: { exit: true, side: 'sell' },
      facts: { position: '9', equity: null, last: null },
    },
  ]);
});

describe('R14 max_margin_utilisation_pct', () => {
  const all = { exposure: { ...DEFAULT_LIMITS.exposure, maxMarginShare: d<'ratio'>('10') } };
  runs(marginUtilisation, [
    { name: 'at the limit', intent: { quantity: '0.2' } },
    {
      name: 'one step above the limit',
      intent: { quantity: '0.201' },
      refused: /^margin of the worst positions 6030 is above 6000 USDT$/,
    },
    {
      name: 'more leverage needs less margin',
      intent: { quantity: '0.3' },
      facts: { leverage: '3' },
    },
    {
      name: 'two symbols above the limit',
      intent: { quantity: '0.151' },
      facts: ether('1'),
      refused: /margin of the worst positions 6030/,
    },
    {
      name: 'unknown leverage of another symbol counts its whole notional',
      intent: { quantity: '0.101' },
      facts: { others: [['ETHUSDT', '-1', '3000', null]] },
      refused: /margin of the worst positions 6030/,
    },
    {
      name: 'the wallet counts without unrealised profit',
      intent: { quantity: '0.2' },
      facts: { equity: '50000', wallet: '9999' },
      refused: /6000 is above 5999.4 USDT/,
    },
    {
      name: 'a twentieth of the wallet stays free under any limit',
      intent: { quantity: '0.317' },
      limits: all,
      refused: /9510 is above 9500 USDT/,
    },
    { name: 'no wallet', facts: { wallet: null }, refused: /USDT wallet is not known/ },
    { name: 'no leverage', facts: { leverage: null }, refused: /leverage of BTCUSDT is not known/ },
    {
      name: 'an exit passes without any data',
      intent: { exit: true, side: 'sell' },
      facts: { position: '9', wallet: null, leverage: null },
    },
  ]);
});
