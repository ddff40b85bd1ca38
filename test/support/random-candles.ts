/** A candle file as text: a random walk of one-hour candles with trends, the same for each seed. */
export function randomCandlesCsv(
  seed: number,
  count: number,
  fromMs = Date.UTC(2025, 0, 6),
): string {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const rows = ['open_time,open,high,low,close,volume'];
  let price = 50_000;
  for (let index = 0; index < count; index += 1) {
    const open = price;
    const drift = Math.sin(index / 90) * 0.0015;
    price = Math.round(price * (1 + drift + (next() - 0.5) * 0.012) * 10) / 10;
    const high = Math.round((Math.max(open, price) + next() * 90) * 10) / 10;
    const low = Math.round((Math.min(open, price) - next() * 90) * 10) / 10;
    rows.push(
      `${fromMs + index * 3_600_000},${open},${high},${low},${price},${100 + Math.round(next() * 900)}`,
    );
  }
  return `${rows.join('\n')}\n`;
}
