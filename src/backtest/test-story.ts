import type { Intent } from '../strategy/intent.js';
import type { SimulatedEvent } from './test-tape.js';

/**
 * A run as lines for a snapshot, `#7 order buy 1 BTCUSDT at the market, stop 98`: the index of the
 * candle, and what was asked for, explained, ordered and filled on it.
 */
export const storyOf = (events: readonly SimulatedEvent[]): string =>
  events.map((event) => `#${event.index} ${lineOf(event)}`).join('\n');

function lineOf(event: SimulatedEvent): string {
  switch (event.kind) {
    case 'intent':
      return intentText(event.intent);
    case 'order': {
      const { side, quantity, symbol, price, reduceOnly, stopLoss, takeProfit, refused } = event;
      const parts = [
        `order ${side} ${quantity} ${symbol} ${price === undefined ? 'at the market' : `at ${price}`}`,
        ...(reduceOnly ? ['reduces'] : []),
        ...(stopLoss === undefined ? [] : [`stop ${stopLoss}`]),
        ...(takeProfit === undefined ? [] : [`target ${takeProfit}`]),
        ...(refused ? ['refused'] : []),
      ];
      return parts.join(', ');
    }
    case 'fill':
      return `fill ${event.side} ${event.quantity} ${event.symbol} at ${event.price}`;
    case 'close':
      return `${event.how} ${event.symbol}, pnl ${event.pnl}`;
    case 'end': {
      const why = event.reason === undefined ? '' : `: ${event.reason}`;
      return `${event.end} ${event.side} ${event.symbol}${why}`;
    }
    case 'note':
      return `${event.level === 'info' ? 'explains' : event.level}: ${event.text}`;
  }
}

/** `target BTCUSDT 1` */
export function intentText(intent: Intent): string {
  const { kind, ...rest } = intent;
  const { symbol, wish, ...own } = { symbol: undefined, wish: undefined, ...rest };
  const words = { ...own, ...(wish as object | undefined) };
  const said = Object.entries(words)
    .filter(([name]) => name !== 'symbol')
    .map(([name, value]) => (SPOKEN.has(name) ? String(value) : `${name} ${String(value)}`));
  return [kind, ...(symbol === undefined ? [] : [symbol]), ...said].join(' ');
}

/** Fields whose value says what it is. */
const SPOKEN: ReadonlySet<string> = new Set(['conviction', 'quantity', 'side', 'orderKey']);
