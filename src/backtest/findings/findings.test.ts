import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixedFromNumber, type Amount } from '../../core/fixed/fixed.js';
import type { FindingFacts } from './finding.js';
import { findingsOf, RULES } from './findings.js';

const amounts = (...nets: readonly number[]): FindingFacts['trades'] =>
  nets.map((net) => ({ netPnl: fixedFromNumber<'USDT'>(net) as Amount }));

const MONTHS = ['01', '02', '03', '04', '05', '06'].map((month) => ({
  month: `2025-${month}`,
  return_pct: 1,
  net: 100,
}));

/** A run that no rule doubts: 600 of 10,000 in a year by 120 trades of 5 each. */
const CLEAN: FindingFacts = {
  result: {
    fills: 240,
    trades: 120,
    days: 365,
    currency: 'USDT',
    net_profit: '600',
    price_pnl: '700',
    final_equity: '10600',
    equity_low: '10600',
    equity_high: '10600',
    ambiguous_bars: 0,
    sharpe: 2,
    sharpe_p_value: 0.01,
    win_rate_pct: 55,
    return_pct: 6,
    benchmark: { return_pct: 3 },
    months: MONTHS,
    by_symbol: { BTCUSDT: { net: 300 }, ETHUSDT: { net: 300 } },
    open_trades: [],
    liquidations: 0,
    rejected: 0,
    rejected_by: {},
    refused: 0,
    refused_by: {},
  } as unknown as FindingFacts['result'],
  inputs: {
    taker_fee: '0.0005',
    slippage: { kind: 'range', bps: 1, share: 0.05 },
    funding: { kind: 'file' },
    strategies: [
      { params: { fast: 10, slow: 20 } },
    ] as unknown as FindingFacts['inputs']['strategies'],
  },
  trades: amounts(...Array.from({ length: 120 }, () => 5)),
  market: {
    candles: 8_760,
    missingCandles: 0,
    answeredCandles: 0,
    shortest: { symbol: 'ETHUSDT', fromMs: 0, toMs: 98 * 86_400_000, share: 0.98 },
    longestFlat: 1,
    flatCandles: 10,
    largestVolumeShare: 0.01,
    fillsAboveVolume: 0,
  },
  checks: null,
};

/** The answers of `--check` with one offence. */
const checksWith = (check: 'look_ahead' | 'warm_up', text: string): FindingFacts['checks'] => {
  const passed = { status: 'passed', reason: null, runs: 1, candles: [], offence: null } as const;
  const offence = {
    kind: 'future',
    candle: null,
    strategy: 'a',
    symbol: null,
    field: 'target',
    decided: null,
    instead: null,
    text,
  } as const;
  return {
    look_ahead: { ...passed, files: [] },
    warm_up: passed,
    [check]: { ...passed, files: [], status: 'failed', offence },
  };
};

interface Doubted {
  readonly id: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly market?: Readonly<Record<string, unknown>>;
  readonly trades?: FindingFacts['trades'];
  readonly checks?: FindingFacts['checks'];
  readonly text: string;
}

const DOUBTED: readonly Doubted[] = [
  { id: 'look-ahead', checks: checksWith('look_ahead', 'it looks'), text: 'it looks' },
  { id: 'warm-up', checks: checksWith('warm_up', 'it is short'), text: 'it is short' },
  { id: 'liquidations', result: { liquidations: 2 }, text: '2 positions were liquidated' },
  { id: 'liquidations', result: { liquidations: 1 }, text: '1 position was liquidated' },
  { id: 'above-volume', market: { fillsAboveVolume: 2 }, text: '2 fills are larger than' },
  { id: 'rejected', result: { rejected: 1, rejected_by: { balance: 1 } }, text: '1 order (b' },
  { id: 'rejected', result: { rejected: 3, rejected_by: { balance: 3 } }, text: '(balance)' },
  { id: 'refused', result: { refused: 4, refused_by: { R01: 4 } }, text: '4 orders (R01)' },
  { id: 'data-gaps', market: { missingCandles: 7 }, text: '7 candles are missing beside 8,760' },
  {
    id: 'data-gaps',
    market: { missingCandles: 7, answeredCandles: 7 },
    text: '7 candles are missing beside 8,760: the venue has none at these times',
  },
  {
    id: 'data-gaps',
    market: { missingCandles: 7, answeredCandles: 5 },
    text: 'the venue has none at the times of 5 of them',
  },
  {
    id: 'data-ranges',
    market: {
      shortest: { symbol: 'ETHUSDT', fromMs: 0, toMs: 97 * 86_400_000, share: 0.97 },
    },
    text: 'ETHUSDT has candles from 1970-01-01 to 1970-04-08 alone, 97.00 % of the period',
  },
  { id: 'flat-candles', market: { longestFlat: 60, flatCandles: 70 }, text: '60 of them in a row' },
  { id: 'flat-candles', market: { flatCandles: 439 }, text: '439 candles have no range' },
  { id: 'sharpe', result: { sharpe: 5.1 }, text: 'a Sharpe ratio of 5.10' },
  { id: 'win-rate', result: { win_rate_pct: 96 }, text: '96.00 % of the trades won' },
  {
    id: 'above-volume',
    market: { fillsAboveVolume: 1, largestVolumeShare: 2 },
    text: '1 fill is larger than the volume of its candle',
  },
  { id: 'volume-share', market: { largestVolumeShare: 0.11 }, text: '11.00 % of the volume' },
  {
    id: 'bounds',
    result: { equity_low: '9990', equity_high: '10600', ambiguous_bars: 9 },
    text: 'between -10.00 USDT and 600.00 USDT',
  },
  {
    id: 'bounds-not-run',
    result: { equity_low: null, equity_high: null, ambiguous_bars: 9 },
    text: '9 candles',
  },
  { id: 'one-trade', trades: amounts(650, ...Array.from({ length: 119 }, () => 1)), text: '50.00' },
  {
    id: 'five-trades',
    trades: amounts(...Array.from({ length: 120 }, (_, index) => (index < 5 ? 130 : 1))),
    text: 'best five trades the run loses 50.00 USDT',
  },
  {
    id: 'one-month',
    result: { months: [{ month: '2025-07', return_pct: 9, net: 600 }, ...MONTHS] },
    text: '2025-07',
  },
  {
    id: 'one-symbol',
    result: { by_symbol: { BTCUSDT: { net: -20 }, ETHUSDT: { net: 620 } } },
    text: 'ETHUSDT',
  },
  {
    id: 'open-profit',
    result: { open_trades: [{}], net_profit: '1300', price_pnl: '1400', final_equity: '11300' },
    text: '700.00 USDT of the net profit are not closed',
  },
  { id: 'benchmark', result: { benchmark: { return_pct: 7 } }, text: 'returned 7.00 %' },
  {
    id: 'costs-above-profit',
    result: { net_profit: '-100', final_equity: '9900', price_pnl: '50' },
    text: 'costs of 150.00 USDT turn',
  },
  { id: 'thin-margin', result: { price_pnl: '1300' }, text: 'costs 1.86 times as high' },
  { id: 'no-fees', inputs: { taker_fee: '0' }, text: 'fees are off' },
  { id: 'no-slippage', inputs: { slippage: { kind: 'fixed', bps: 0 } }, text: 'slippage is off' },
  { id: 'guessed-funding', inputs: { funding: { kind: 'rate', rate: '0.0001' } }, text: '0.0001' },
  { id: 'few-trades', result: { trades: 29 }, text: '29 closed trades' },
  { id: 'short-period', result: { days: 89 }, text: '89.0 days' },
  {
    id: 'many-parameters',
    inputs: {
      strategies: [
        { params: Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`p${index}`, 1])) },
      ],
    },
    text: '120 trades for 13 parameters',
  },
  { id: 'by-chance', result: { sharpe_p_value: 0.12 }, text: '12.00 % of such runs' },
];

describe('the findings of a backtest', () => {
  it('are none for a run that nothing makes doubtful', () => {
    expect(findingsOf(CLEAN)).toEqual([]);
  });

  it.each(DOUBTED)('tell of $id', ({ id, result, inputs, market, trades, checks, text }) => {
    const facts = {
      result: { ...CLEAN.result, ...result },
      inputs: { ...CLEAN.inputs, ...inputs },
      market: { ...CLEAN.market, ...market },
      trades: trades ?? CLEAN.trades,
      checks: checks ?? null,
    } as FindingFacts;
    const findings = findingsOf(facts);
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.text).toContain(text);
  });

  it('have a run for each rule', () => {
    expect(new Set(DOUBTED.map(({ id }) => id))).toEqual(new Set(RULES.map(({ id }) => id)));
  });

  it('of a run without a fill are about its orders, data and sample alone', () => {
    const idle = { fills: 0, trades: 0, days: 1, rejected: 79, rejected_by: { funds: 79 } };
    const facts = { ...CLEAN, result: { ...CLEAN.result, ...idle } } as FindingFacts;
    expect(findingsOf(facts).map(({ id }) => id)).toEqual([
      'rejected',
      'few-trades',
      'short-period',
    ]);
  });

  it('stand in docs/backtests.md with the condition of each', () => {
    const rows = readFileSync('docs/backtests.md', 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => /^`[a-z-]+`$/.test(cells[1] ?? '') && cells.length === 4)
      .map((cells) => [cells[1]?.replaceAll('`', ''), cells[2]]);
    for (const { id, when } of RULES) expect(rows).toContainEqual([id, when]);
  });
});
