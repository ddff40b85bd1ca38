import type {
  IChartApiBase,
  IPrimitivePaneView,
  ISeriesApi,
  ISeriesPrimitive,
  Logical,
  SeriesAttachedParameter,
  SeriesType,
  Time,
} from 'lightweight-charts';
import { faded, type Palette } from '../theme.js';
import type { Trade } from '../trades.js';
import { drawExit, drawTriangle } from './mark-shapes.js';

/** A trade at places of the time axis, in bars. */
export interface PlacedTrade {
  readonly trade: Trade;
  readonly entryBar: number;
  readonly exitBar: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Above this number of trades in view, lines and entries are left out. */
export const MAX_FULL_MARKS = 400;
const MAX_DOTS = 6_000;
const NEAR_PX = 14;

/** Draws the trades of one symbol over its candles: entry, exit by its reason, and a line between. */
export class TradeMarks implements ISeriesPrimitive<Time> {
  readonly #placed: readonly PlacedTrade[];
  readonly #palette: Palette;
  #selected: Trade | undefined;
  #chart: IChartApiBase | undefined;
  #series: ISeriesApi<SeriesType> | undefined;
  #requestUpdate: (() => void) | undefined;
  readonly #views: readonly IPrimitivePaneView[];

  constructor(placed: readonly PlacedTrade[], palette: Palette) {
    this.#placed = placed;
    this.#palette = palette;
    this.#views = [
      {
        zOrder: () => 'top',
        renderer: () => ({
          draw: (target) => {
            target.useMediaCoordinateSpace(({ context }) => {
              this.#draw(context);
            });
          },
        }),
      },
    ];
  }

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter): void {
    this.#chart = chart;
    this.#series = series;
    this.#requestUpdate = requestUpdate;
  }

  detached(): void {
    this.#chart = undefined;
    this.#series = undefined;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  select(trade: Trade | undefined): void {
    this.#selected = trade;
    this.#requestUpdate?.();
  }

  /** Trades with a part between two bars. */
  within(from: number, to: number): readonly PlacedTrade[] {
    return this.#placed.filter(({ entryBar, exitBar }) => exitBar >= from && entryBar <= to);
  }

  /** The trade whose entry or exit is near a point of the pane, in px. */
  near(x: number, y: number): Trade | undefined {
    let best: Trade | undefined;
    let distance = NEAR_PX;
    for (const placed of this.#visible()) {
      for (const point of [this.#entry(placed), this.#exit(placed)]) {
        if (point === undefined) continue;
        const away = Math.hypot(point.x - x, point.y - y);
        if (away < distance) [best, distance] = [placed.trade, away];
      }
    }
    return best;
  }

  #visible(): readonly PlacedTrade[] {
    const range = this.#chart?.timeScale().getVisibleLogicalRange();
    return range === null || range === undefined ? [] : this.within(range.from, range.to);
  }

  #entry = ({ entryBar, trade }: PlacedTrade): Point | undefined =>
    this.#point(entryBar, trade.entryPrice);
  #exit = ({ exitBar, trade }: PlacedTrade): Point | undefined =>
    this.#point(exitBar, trade.exitPrice);

  #point(bar: number, price: number): Point | undefined {
    const x = this.#xOf(bar);
    const y = this.#series?.priceToCoordinate(price);
    return x === undefined || y === null || y === undefined ? undefined : { x, y };
  }

  /** The chart knows the places of whole bars only. */
  #xOf(bar: number): number | undefined {
    const scale = this.#chart?.timeScale();
    const whole = Math.floor(bar);
    const left = scale?.logicalToCoordinate(whole as Logical);
    const right = scale?.logicalToCoordinate((whole + 1) as Logical);
    if (left === null || left === undefined || right === null || right === undefined)
      return undefined;
    return left + (right - left) * (bar - whole);
  }

  #draw(context: CanvasRenderingContext2D): void {
    const visible = this.#visible();
    if (visible.length > MAX_FULL_MARKS) this.#drawDots(context, visible);
    else this.#drawTrades(context, visible, 1);
    const selected = this.#placed.find(({ trade }) => trade === this.#selected);
    if (selected !== undefined) this.#drawTrades(context, [selected], 1.5);
  }

  #colourOf = ({ net }: Trade): string => (net > 0 ? this.#palette.gain : this.#palette.loss);

  #drawDots(context: CanvasRenderingContext2D, visible: readonly PlacedTrade[]): void {
    const every = Math.ceil(visible.length / MAX_DOTS);
    for (let index = 0; index < visible.length; index += every) {
      const placed = visible[index] as PlacedTrade;
      const point = this.#exit(placed);
      if (point === undefined) continue;
      context.fillStyle = faded(this.#colourOf(placed.trade), 0.55);
      context.fillRect(point.x - 1, point.y - 1, 2, 2);
    }
  }

  /** The exit of a reversal and the next entry are one place: the entry lies on the exit, which is larger. */
  #drawTrades(
    context: CanvasRenderingContext2D,
    placed: readonly PlacedTrade[],
    scale: number,
  ): void {
    const lines = placed.flatMap((each) => {
      const [entry, exit] = [this.#entry(each), this.#exit(each)];
      return entry === undefined || exit === undefined ? [] : [{ trade: each.trade, entry, exit }];
    });
    for (const line of lines) this.#drawLine(context, line);
    context.lineWidth = 1.25;
    context.strokeStyle = this.#palette.surface;
    for (const { trade, exit } of lines) {
      context.fillStyle = this.#colourOf(trade);
      drawExit(context, exit, 5.5 * scale, trade.reason);
    }
    for (const { trade, entry } of lines) {
      const isLong = trade.side === 'long';
      context.fillStyle = isLong ? this.#palette.accent : this.#palette.short;
      drawTriangle(context, entry, 5 * scale, isLong);
    }
  }

  #drawLine(
    context: CanvasRenderingContext2D,
    { trade, entry, exit }: { trade: Trade; entry: Point; exit: Point },
  ): void {
    const isSelected = trade === this.#selected;
    context.strokeStyle = faded(this.#colourOf(trade), isSelected ? 1 : 0.75);
    context.lineWidth = isSelected ? 2.5 : 1.25;
    context.setLineDash(isSelected ? [] : [4, 3]);
    context.beginPath();
    context.moveTo(entry.x, entry.y);
    context.lineTo(exit.x, exit.y);
    context.stroke();
    context.setLineDash([]);
  }
}
