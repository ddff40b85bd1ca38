import {
  CandlestickSeries,
  ColorType,
  createChart,
  CrosshairMode,
  HistogramSeries,
  type CandlestickData,
  type IChartApi,
  type UTCTimestamp,
} from 'lightweight-charts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatNumber } from '../../../../src/report/figure-format.js';
import type { PageData, PageMarket } from '../../../../src/report/page/page-data.js';
import { faded, readPalette, type Palette, type Theme } from '../theme.js';
import { minuteText, plainText } from '../text.js';
import type { Trade } from '../trades.js';
import { barsOf, placedTrades, priceDecimals, type MarketBars } from './market-bars.js';
import { MarkLegend } from './mark-legend.js';
import { TradeCard } from './trade-card.js';
import { MAX_FULL_MARKS, TradeMarks } from './trade-marks.js';
import { ZoomBar, zoomed, type Zoom } from './zoom-bar.js';

interface PriceChartProps {
  readonly data: PageData;
  readonly trades: readonly Trade[];
  readonly theme: Theme;
  readonly selected: Trade | undefined;
  readonly onSelect: (trade: Trade) => void;
}

interface OpenChart {
  readonly chart: IChartApi;
  readonly marks: TradeMarks;
  readonly bars: MarketBars;
}

/** Bars on each side of a trade that is shown. */
const MIN_MARGIN_BARS = 20;

/** Candles of one symbol with the trades on them. */
export function PriceChart({ data, trades, theme, selected, onSelect }: PriceChartProps) {
  const [symbol, setSymbol] = useState(data.markets[0]?.symbol ?? '');
  const [inView, setInView] = useState(0);
  const [bar, setBar] = useState<CandlestickData>();
  const frame = useRef<HTMLDivElement>(null);
  const open = useRef<OpenChart | undefined>(undefined);
  const chooseRef = useRef(onSelect);
  chooseRef.current = onSelect;
  const market = data.markets.find((each) => each.symbol === symbol) ?? data.markets[0];
  const bars = useMemo(() => (market === undefined ? undefined : barsOf(market)), [market]);
  useEffect(() => {
    if (selected !== undefined) setSymbol(selected.symbol);
  }, [selected]);
  useEffect(() => {
    const element = frame.current;
    if (element === null || market === undefined || bars === undefined) return undefined;
    const before =
      open.current?.bars === bars ? open.current.chart.timeScale().getVisibleLogicalRange() : null;
    const made = openChart(element, { market, bars, trades });
    const { chart, marks } = made;
    const scale = chart.timeScale();
    scale.subscribeVisibleLogicalRangeChange((range) => {
      setInView(range === null ? 0 : marks.within(range.from, range.to).length);
    });
    chart.subscribeCrosshairMove(({ logical }) => {
      setBar(logical === undefined ? undefined : bars.bars[logical]);
    });
    chart.subscribeClick(({ point }) => {
      const near = point === undefined ? undefined : marks.near(point.x, point.y);
      if (near !== undefined) chooseRef.current(near);
    });
    if (before === null) scale.fitContent();
    else scale.setVisibleLogicalRange(before);
    open.current = made;
    return () => {
      chart.remove();
    };
  }, [market, bars, trades, theme]);
  useEffect(() => {
    const { current } = open;
    if (current === undefined) return;
    current.marks.select(selected);
    if (selected !== undefined && selected.symbol === symbol) showTrade(current, selected);
  }, [selected, symbol, bars, theme]);
  if (market === undefined || bars === undefined) return null;
  const zoom = (kind: Zoom): void => {
    const scale = open.current?.chart.timeScale();
    const range = scale?.getVisibleLogicalRange();
    if (scale === undefined || range === null || range === undefined) return;
    const whole = { from: -0.5, to: bars.times.length - 0.5 };
    scale.setVisibleLogicalRange(zoomed(range, whole, kind));
  };
  return (
    <>
      <div class="chart-head">
        <BarLegend bar={bar ?? bars.bars.at(-1)} />
        <div class="choices">
          {data.markets.length > 1 && (
            <label>
              Symbol
              <select
                value={symbol}
                onChange={(event) => {
                  setSymbol(event.currentTarget.value);
                }}
              >
                {data.markets.map((each) => (
                  <option key={each.symbol}>{each.symbol}</option>
                ))}
              </select>
            </label>
          )}
          <ZoomBar name="price chart" onZoom={zoom} />
        </div>
      </div>
      <div
        class="price-frame"
        ref={frame}
        role="img"
        aria-label={`Candles of ${symbol} with ${formatNumber(trades.filter((trade) => trade.symbol === symbol).length, 0)} trades. The table of trades below has the same.`}
      />
      <MarkLegend trades={trades} />
      <p class="note" role="status">
        {viewText(inView, market, data.interval)}
      </p>
      <TradeCard data={data} trades={trades} selected={selected} onSelect={onSelect} />
    </>
  );
}

function viewText(inView: number, { merged }: PageMarket, interval: string): string {
  const bars = merged > 1 ? `Each bar is ${merged} candles of ${interval}. ` : '';
  const count = `${formatNumber(inView, 0)} ${inView === 1 ? 'trade' : 'trades'} in view`;
  return inView > MAX_FULL_MARKS
    ? `${bars}${count}, shown as dots at their exits; zoom in to see entries and reasons.`
    : `${bars}${count}. Click a mark to see its trade.`;
}

function BarLegend({ bar }: { bar: CandlestickData | undefined }) {
  if (bar === undefined) return <span />;
  const { time, open, high, low, close } = bar;
  return (
    <ul class="legend">
      <li class="time">{minuteText((time as number) * 1_000)}</li>
      {(
        [
          ['O', open],
          ['H', high],
          ['L', low],
          ['C', close],
        ] as const
      ).map(([name, value]) => (
        <li key={name}>
          {name} <b>{plainText(value)}</b>
        </li>
      ))}
    </ul>
  );
}

interface ChartContent {
  readonly market: PageMarket;
  readonly bars: MarketBars;
  readonly trades: readonly Trade[];
}

function openChart(element: HTMLElement, { market, bars, trades }: ChartContent): OpenChart {
  const palette = readPalette();
  const chart = createChart(element, {
    autoSize: true,
    layout: {
      background: { type: ColorType.Solid, color: palette.surface },
      textColor: palette.muted,
      fontFamily: 'system-ui, sans-serif',
      fontSize: 11,
      // The footer of the page names TradingView with a link, as the licence asks.
      attributionLogo: false,
    },
    grid: { vertLines: { color: palette.line }, horzLines: { color: palette.line } },
    crosshair: { mode: CrosshairMode.Normal },
    rightPriceScale: { borderColor: palette.line, scaleMargins: { top: 0.08, bottom: 0.18 } },
    timeScale: {
      borderColor: palette.line,
      timeVisible: true,
      secondsVisible: false,
      minBarSpacing: 0.05,
    },
    // A page that is scrolled by wheel or finger must not get stuck in the chart.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
    localization: { locale: 'en-GB' },
  });
  const places = priceDecimals(market.close);
  const series = chart.addSeries(CandlestickSeries, {
    ...candleColours(palette),
    priceFormat: { type: 'price', precision: places, minMove: 10 ** -places },
    priceLineVisible: false,
    lastValueVisible: false,
  });
  series.setData([...bars.bars]);
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
    color: faded(palette.muted, 0.25),
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.86, bottom: 0 } });
  volume.setData(
    bars.times.map((time, index) => ({
      time: time as UTCTimestamp,
      value: bars.volumes[index] as number,
    })),
  );
  const marks = new TradeMarks(placedTrades(trades, market, bars.times), palette);
  series.attachPrimitive(marks);
  return { chart, marks, bars };
}

/** Quiet candles: the trades on them carry the colours. */
const candleColours = (palette: Palette) => ({
  upColor: palette.surface,
  downColor: faded(palette.muted, 0.75),
  borderUpColor: palette.muted,
  borderDownColor: palette.muted,
  wickUpColor: palette.muted,
  wickDownColor: palette.muted,
});

function showTrade({ chart, marks, bars }: OpenChart, trade: Trade): void {
  const placed = marks.within(-Infinity, Infinity).find((each) => each.trade === trade);
  if (placed === undefined) return;
  const { entryBar, exitBar } = placed;
  const margin = Math.max(MIN_MARGIN_BARS, (exitBar - entryBar) * 0.75);
  chart.timeScale().setVisibleLogicalRange({
    from: Math.max(-0.5, entryBar - margin),
    to: Math.min(bars.times.length + 2, exitBar + margin),
  });
}
