import { useEffect, useRef } from 'preact/hooks';
import { formatNumber } from '../../../../src/report/figure-format.js';
import { faded, readPalette, type Palette, type Theme } from '../theme.js';
import { axisText, signed } from '../text.js';
import type { Trade } from '../trades.js';

interface ScatterProps {
  readonly trades: readonly Trade[];
  readonly extreme: 'mae' | 'mfe';
  readonly theme: Theme;
  readonly onSelect: (trade: Trade) => void;
}

const HEIGHT = 240;
const MARGIN = { left: 54, right: 12, top: 10, bottom: 26 };
/** Points beyond this share of the values lie on the edge. */
const TAIL = 0.005;
const NEAR_PX = 12;

interface Place {
  readonly trade: Trade;
  readonly x: number;
  readonly y: number;
}

/** One point a trade: its extreme across, its result up. A click selects the nearest. */
export function ExcursionScatter({ trades, extreme, theme, onSelect }: ScatterProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const places = useRef<readonly Place[]>([]);
  useEffect(() => {
    const element = canvas.current;
    const frame = element?.parentElement;
    if (element === null || frame === null || frame === undefined) return undefined;
    const draw = (): void => {
      places.current = drawScatter(element, frame.clientWidth, { trades, extreme });
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(frame);
    return () => {
      observer.disconnect();
    };
  }, [trades, extreme, theme]);
  const select = (event: MouseEvent): void => {
    const near = nearest(places.current, event.offsetX, event.offsetY);
    if (near !== undefined) onSelect(near);
  };
  return (
    <div class="canvas-frame">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Scatter of ${formatNumber(trades.length, 0)} trades: result against ${extreme === 'mae' ? 'MAE, the deepest loss' : 'MFE, the highest gain'} while open`}
        onClick={select}
      />
    </div>
  );
}

function nearest(places: readonly Place[], x: number, y: number): Trade | undefined {
  let best: Place | undefined;
  let distance = NEAR_PX;
  for (const place of places) {
    const away = Math.hypot(place.x - x, place.y - y);
    if (away < distance) [best, distance] = [place, away];
  }
  return best?.trade;
}

function drawScatter(
  canvas: HTMLCanvasElement,
  width: number,
  { trades, extreme }: Pick<ScatterProps, 'trades' | 'extreme'>,
): readonly Place[] {
  const context = canvas.getContext('2d');
  if (context === null) return [];
  const ratio = devicePixelRatio;
  canvas.width = width * ratio;
  canvas.height = HEIGHT * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${HEIGHT}px`;
  context.scale(ratio, ratio);
  const palette = readPalette();
  const known = trades.filter((trade) => trade[extreme] !== null);
  const across = scaleOf(
    known.map((trade) => trade[extreme] as number),
    MARGIN.left,
    width - MARGIN.right,
  );
  const up = scaleOf(
    known.map(({ pct }) => pct),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  );
  drawAxes(context, palette, { across, up, width });
  const size = known.length > 3_000 ? 1.2 : known.length > 400 ? 2 : 3;
  const opacity = known.length > 3_000 ? 0.35 : 0.65;
  return known.map((trade) => {
    const [x, y] = [across.place(trade[extreme] as number), up.place(trade.pct)];
    context.fillStyle = faded(trade.net > 0 ? palette.gain : palette.loss, opacity);
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fill();
    return { trade, x, y };
  });
}

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly place: (value: number) => number;
}

/** A linear scale that holds 0; extremes beyond the tails lie on its ends. */
function scaleOf(values: readonly number[], start: number, end: number): Scale {
  const sorted = Float64Array.from(values).sort();
  const quantile = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const [low, high] = [Math.min(0, quantile(TAIL)), Math.max(0, quantile(1 - TAIL))];
  const pad = (high - low || 1) * 0.04;
  const [from, to] = [low - (low < 0 ? pad : 0), high + (high > 0 ? pad : 0)];
  const place = (value: number): number =>
    start + ((Math.min(to, Math.max(from, value)) - from) / (to - from || 1)) * (end - start);
  return { from, to, place };
}

function drawAxes(
  context: CanvasRenderingContext2D,
  palette: Palette,
  { across, up, width }: { across: Scale; up: Scale; width: number },
): void {
  context.clearRect(0, 0, width, HEIGHT);
  context.font = '11px system-ui, sans-serif';
  context.strokeStyle = palette.line;
  context.fillStyle = palette.muted;
  context.lineWidth = 1;
  for (const [value, step] of ticks(up)) {
    const y = Math.round(up.place(value)) + 0.5;
    stroke(
      context,
      [MARGIN.left, y, width - MARGIN.right, y],
      value === 0 ? palette.muted : palette.line,
    );
    context.textAlign = 'right';
    context.fillText(tickText(value, step), MARGIN.left - 6, y + 4);
  }
  for (const [value, step] of ticks(across)) {
    const x = Math.round(across.place(value)) + 0.5;
    stroke(
      context,
      [x, MARGIN.top, x, HEIGHT - MARGIN.bottom],
      value === 0 ? palette.muted : palette.line,
    );
    context.textAlign = x > width - 30 ? 'right' : 'center';
    context.fillText(tickText(value, step), x, HEIGHT - 8);
  }
}

function stroke(
  context: CanvasRenderingContext2D,
  [x1, y1, x2, y2]: readonly [number, number, number, number],
  colour: string,
): void {
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

const tickText = (value: number, step: number): string =>
  value === 0 ? '0' : `${signed(axisText(value, step))} %`;

/** About five round values and their step. */
function ticks({ from, to }: Scale): readonly (readonly [number, number])[] {
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const found: [number, number][] = [];
  for (let index = Math.ceil(from / step); index * step <= to; index += 1)
    found.push([index === 0 ? 0 : Number((index * step).toPrecision(8)), step]);
  return found;
}
