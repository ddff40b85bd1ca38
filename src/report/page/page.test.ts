import { describe, expect, test } from 'vitest';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import type { EquityCurve } from '../statistics/equity-curve.js';
import type { MeasuredTrade } from '../statistics/trade-statistics.js';
import { pageCandles } from './page-candles.js';
import type { PageFigures } from './page-data.js';
import { exposureAt, pageEquity } from './page-equity.js';
import { histogramOf } from './page-histogram.js';
import { pageTrades } from './page-trades.js';
import { pageDataOf, reportPage, scriptJson, type ReportInput } from './report-page.js';

const MINUTE = 60_000;
const START = Date.UTC(2025, 0, 1);

const tradeAt = (index: number, changes: Partial<MeasuredTrade> = {}): MeasuredTrade => ({
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'long',
  quantity: fixedFromText('2'),
  entryTime: START + index * 10 * MINUTE,
  exitTime: START + (index * 10 + 5) * MINUTE,
  entryPrice: fixedFromText('100'),
  exitPrice: fixedFromText('101'),
  grossPnl: fixedFromText('2'),
  fees: fixedFromText('0.2'),
  funding: fixedFromText('0.1'),
  netPnl: fixedFromText('1.7'),
  exitReason: 'signal',
  ...changes,
});

const curveOf = (values: readonly number[]): EquityCurve => ({
  times: Float64Array.from(values, (_, index) => START + (index + 1) * MINUTE),
  equity: Float64Array.from(values),
  length: values.length,
});

describe('candles of a page', () => {
  const columns = CandleColumns.from(
    Array.from({ length: 10 }, (_, index) => ({
      openTime: START + index * MINUTE,
      open: 100 + index,
      high: 110 + index,
      low: 90 - index,
      close: 101 + index,
      volume: 2,
    })),
  );

  test('that are few stay as they are', () => {
    const page = pageCandles({ symbol: 'BTCUSDT', columns }, 10);
    expect(page).toMatchObject({
      merged: 1,
      open: columns.open.slice(0, 10).reduce<number[]>((all, each) => [...all, each], []),
    });
    expect(page.timeSteps.slice(0, 3)).toEqual([START / 1_000, 60, 60]);
  });

  test('that are many are merged: first open, last close, extremes, sum of the volume', () => {
    const page = pageCandles({ symbol: 'BTCUSDT', columns }, 4);
    expect(page.merged).toBe(3);
    expect(page.open).toEqual([100, 103, 106, 109]);
    expect(page.close).toEqual([103, 106, 109, 110]);
    expect(page.high).toEqual([112, 115, 118, 119]);
    expect(page.low).toEqual([88, 85, 82, 81]);
    expect(page.volume).toEqual([6, 6, 6, 2]);
    expect(page.timeSteps).toEqual([START / 1_000, 180, 180, 180]);
  });
});

describe('the equity of a page', () => {
  const none = { trades: [], openTrades: [], rate: 1, cash: 100 };

  test('has the drawdown below the running peak, of which the cash is the first', () => {
    const page = pageEquity({ ...none, curve: curveOf([90, 120, 60, 120]) }, 100);
    expect(page.drawdown).toEqual([-10, 0, -50, 0]);
    expect(page.benchmark).toBeNull();
  });

  test('keeps the deepest drawdown and the ends of a curve that it thins', () => {
    const values = Array.from({ length: 5_000 }, (_, index) => 100 + Math.sin(index) * 5);
    values[2_503] = 20;
    const page = pageEquity({ ...none, curve: curveOf(values), benchmark: curveOf(values) }, 500);
    expect(page.times.length).toBeLessThan(700);
    expect(Math.min(...page.equity)).toBe(20);
    expect(page.equity.at(-1)).toBeCloseTo(values.at(-1) as number, 4);
    expect(page.benchmark).toEqual(page.equity);
    expect(Math.min(...page.drawdown)).toBeLessThan(-80);
  });

  test('has the value of open positions at entry, shorts below 0, until their exit', () => {
    const trades = [
      tradeAt(0),
      tradeAt(1, { side: 'short', entryTime: START + 5 * MINUTE, exitTime: START + 8 * MINUTE }),
    ];
    const openTrades = [
      {
        symbol: 'ETHUSDT',
        currency: 'USDT' as const,
        side: 'long' as const,
        quantity: fixedFromText<'quantity'>('1'),
        entryTime: START + 7 * MINUTE,
        entryPrice: fixedFromText<'price'>('50'),
      },
    ];
    const at = [-1, 0, 4, 5, 7, 8].map((minute) => START + minute * MINUTE);
    const { long, short } = exposureAt(at, { trades, openTrades, rate: 2 });
    expect(long).toEqual([0, 400, 400, 0, 100, 100]);
    expect(short.map((value) => value + 0)).toEqual([0, 0, 0, -400, -400, 0]);
  });
});

describe('the trades of a page', () => {
  test('are all there, in order, when they fit', () => {
    const page = pageTrades(
      [tradeAt(0), tradeAt(2, { side: 'short', exitReason: 'stop_loss' })],
      10,
    );
    expect(page).toMatchObject({
      total: 2,
      rows: null,
      unitMs: MINUTE,
      side: [1, -1],
      held: [5, 5],
    });
    expect(page.entrySteps).toEqual([START / MINUTE, 20]);
    expect(page.reasons).toEqual(['signal', 'stop_loss']);
    expect([page.net[0], page.fees[0], page.funding[0], page.mae[0]]).toEqual([
      1.7,
      0.2,
      0.1,
      null,
    ]);
  });

  test('that do not fit are half the largest results and half an even part of the rest', () => {
    const trades = Array.from({ length: 1_000 }, (_, index) =>
      tradeAt(index, { netPnl: fixedFromText(index % 100 === 0 ? '-50' : '1') }),
    );
    const page = pageTrades(trades, 40);
    expect(page.total).toBe(1_000);
    expect(page.rows).toHaveLength(40);
    expect(page.net.filter((net) => net === -50)).toHaveLength(10);
    expect(page.rows).toEqual([...(page.rows ?? [])].sort((a, b) => a - b));
    expect(new Set(page.rows).size).toBe(40);
  });

  test('of a session keep milliseconds', () => {
    const page = pageTrades([tradeAt(0, { entryTime: START + 1, exitTime: START + 1_500 })], 10);
    expect(page).toMatchObject({ unitMs: 1, entrySteps: [START + 1], held: [1_499] });
  });
});

describe('the histogram of results', () => {
  test('has 0 as an edge, and a result of 0 is not among the gains', () => {
    const histogram = histogramOf([-2, -1, 0, 0.5, 3]);
    const { from = NaN, width = NaN, counts = [] } = histogram ?? {};
    const zero = Math.round(-from / width);
    expect(Math.abs(-from / width - zero)).toBeLessThan(1e-9);
    expect(counts.slice(0, zero).reduce((a, b) => a + b)).toBe(3);
    expect(counts.slice(zero).reduce((a, b) => a + b)).toBe(2);
  });

  test('gathers extremes in its last classes, so that one trade does not flatten the rest', () => {
    const values = [...Array.from({ length: 999 }, (_, index) => (index % 20) / 10 - 1), 5_000];
    const histogram = histogramOf(values);
    expect(histogram?.highest).toBe(5_000);
    expect(histogram?.counts.length).toBeLessThan(60);
    expect(histogram?.counts.reduce((a, b) => a + b)).toBe(1_000);
  });

  test('of no trades is absent, and of equal trades is one class', () => {
    expect(histogramOf([])).toBeNull();
    expect(histogramOf([0, 0])?.counts.reduce((a, b) => a + b)).toBe(2);
  });
});

describe('a report page', () => {
  const figures: PageFigures = {
    from: '2025-01-01T00:00:00.000Z',
    to: '2025-01-01T00:04:00.000Z',
    days: 0,
    trades: 1,
    final_equity: '120',
    net_profit: '20',
  };
  const input: ReportInput = {
    kind: 'backtest',
    title: '</script><img src=x onerror=alert(1)>',
    interval: '1m',
    origin: 'a file',
    currency: 'USDT',
    rate: 1,
    cash: 100,
    warnings: ['<b>', '<!--'],
    figures,
    curve: curveOf([90, 120, 60, 120]),
    markets: [],
    trades: [tradeAt(0)],
    openTrades: [],
  };

  test('holds its data where the template has a place, and names with HTML stay text', () => {
    const template = '<script id="data">"__SLUICE_PAGE_DATA__"</script>$&';
    const page = reportPage(template, pageDataOf(input));
    const block = page.slice('<script id="data">'.length, page.indexOf('</script>$&'));
    expect(block).not.toContain('<');
    expect(JSON.parse(block)).toMatchObject({ title: input.title, warnings: input.warnings });
  });

  test('of a template without a place is refused', () => {
    expect(() => reportPage('<html>', pageDataOf(input))).toThrow('no place');
  });

  test('says nothing of thinning when all is there, and says each part that is thinned', () => {
    expect(pageDataOf(input).thinned).toEqual([]);
    const trades = Array.from({ length: 24_001 }, (_, index) => tradeAt(index));
    const curve = curveOf(Array.from({ length: 20_000 }, (_, index) => 100 + (index % 7)));
    const { thinned } = pageDataOf({ ...input, trades, curve });
    expect(thinned).toHaveLength(2);
    expect(thinned[1]).toContain('24000 of 24001 trades');
  });

  test('is the same for the same run, whatever the machine and the folder', () => {
    const folder = { run: '/tmp/x', report: null, engine_ns_per_bar: 7, load_ms: 9 };
    const data = pageDataOf({ ...input, figures: { ...figures, ...folder } as PageFigures });
    expect(data).toEqual(pageDataOf(input));
  });

  test('has the decisions of at most 1,000 trades, the largest among them, and says so', () => {
    const trades = Array.from({ length: 1_500 }, (_, index) =>
      tradeAt(index, { netPnl: fixedFromText(index === 77 ? '99' : '1') }),
    );
    const text = 'x'.repeat(300);
    const decisionsOf = ({ entryTime }: MeasuredTrade) => ({
      entry: { time: entryTime, after: 'a fill', price: 1.5, text },
      exit: undefined,
    });
    const data = pageDataOf({ ...input, trades, decisionsOf });
    const { decisions } = data.trades;
    expect(decisions?.rows).toHaveLength(1_000);
    expect(decisions?.rows).toContain(77);
    const place = decisions?.rows.indexOf(77) ?? -1;
    expect(decisions?.entry[place]).toEqual({
      time: START / 1_000 + 77 * 600,
      after: 'a fill',
      price: 1.5,
      text: `${'x'.repeat(159)}…`,
    });
    expect(decisions?.exit[place]).toBeNull();
    expect(data.thinned).toEqual([
      expect.stringMatching(/^It has the decisions of 1000 of 1500 trades/),
    ]);
    expect(scriptJson(decisions).length).toBeLessThan(300_000);
    expect(pageDataOf({ ...input, trades }).trades.decisions).toBeNull();
  });

  test.each([12_000, 40_000])(
    'of a run of %d trades leaves 400 kB of 3 MB to the page itself',
    (count) => {
      const length = 60_000;
      const value = (index: number): number => 10_000 + Math.sin(index / 90) * index * 0.0731;
      const trades = Array.from({ length: count }, (_, index) =>
        tradeAt(index, {
          netPnl: fixedFromText((Math.sin(index) * 1_234.5678).toFixed(8)),
          quantity: fixedFromText((0.001 + index / 7_777).toFixed(8)),
          entryPrice: fixedFromText((50_000 + index * 1.37).toFixed(4)),
          exitPrice: fixedFromText((50_003 + index * 1.39).toFixed(4)),
          maePct: -index / 7_001,
          mfePct: index / 6_007,
        }),
      );
      const curve = curveOf(Array.from({ length }, (_, index) => value(index)));
      const bounds = {
        low: curve.equity.map((each) => each - 12.3456),
        high: curve.equity.map((each) => each + 34.5678),
      };
      const decision = { time: START, after: 'the 1h candles of all symbols', price: 51_234.5678 };
      const long = { ...decision, text: 'x'.repeat(300), size: 'y'.repeat(300) };
      const columns = CandleColumns.from(
        Array.from({ length }, (_, index) => ({
          openTime: START + index * MINUTE,
          ...{ open: 50_000.12 + index, high: 50_100.34 + index, low: 49_900.56 + index },
          ...{ close: 50_050.78 + index, volume: 123.456 + index },
        })),
      );
      const data = pageDataOf({
        ...{ ...input, cash: 10_000, curve, benchmark: curve, bounds, trades },
        decisionsOf: () => ({ entry: long, exit: long }),
        markets: [{ symbol: 'BTCUSDT', columns }],
      });
      expect(scriptJson(data).length).toBeLessThan(2_600_000);
    },
  );

  test('has the bounds of the equity at its own rows, where candles leave them open', () => {
    const bounds = {
      low: Float64Array.of(80, 110, 50, 100),
      high: Float64Array.of(95, 130, 60, 140),
    };
    expect(pageDataOf({ ...input, bounds }).equity.bounds).toEqual({
      low: [80, 110, 50, 100],
      high: [95, 130, 60, 140],
    });
    expect(pageDataOf(input).equity.bounds).toBeNull();
    const many = curveOf(Array.from({ length: 20_000 }, (_, index) => 100 + (index % 7)));
    const wide = { low: many.equity.map((each) => each - 1), high: many.equity };
    const { equity } = pageDataOf({ ...input, curve: many, bounds: wide });
    expect(equity.bounds?.low).toEqual(equity.equity.map((each) => each - 1));
  });

  test('writes null for a number that JSON lacks', () => {
    expect(scriptJson({ a: NaN, b: [Infinity, 1] })).toBe('{"a":null,"b":[null,1]}');
  });
});
