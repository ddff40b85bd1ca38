interface Point {
  readonly x: number;
  readonly y: number;
}

/** An entry: up for long, down for short. */
export function drawTriangle(
  context: CanvasRenderingContext2D,
  { x, y }: Point,
  size: number,
  isUp: boolean,
): void {
  const up = isUp ? -1 : 1;
  polygon(context, [
    [x, y + up * size],
    [x + size, y - up * size * 0.75],
    [x - size, y - up * size * 0.75],
  ]);
}

/** An exit: a square for stops, a diamond for targets, a cross for liquidations, else a circle. */
export function drawExit(
  context: CanvasRenderingContext2D,
  { x, y }: Point,
  size: number,
  reason: string,
): void {
  if (reason === 'stop_loss' || reason === 'trailing_stop') {
    const half = size * 0.9;
    polygon(context, [
      [x - half, y - half],
      [x + half, y - half],
      [x + half, y + half],
      [x - half, y + half],
    ]);
  } else if (reason === 'take_profit') {
    const half = size * 1.25;
    polygon(context, [
      [x, y - half],
      [x + half, y],
      [x, y + half],
      [x - half, y],
    ]);
  } else if (reason === 'liquidation') cross(context, { x, y }, size * 1.5);
  else {
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}

function polygon(
  context: CanvasRenderingContext2D,
  corners: readonly (readonly [number, number])[],
): void {
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
  context.fill();
  context.stroke();
}

/** The only mark without an edge: it must not be missed. */
function cross(context: CanvasRenderingContext2D, { x, y }: Point, size: number): void {
  context.save();
  context.strokeStyle = context.fillStyle;
  context.lineWidth = 3;
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
  context.stroke();
  context.restore();
}
