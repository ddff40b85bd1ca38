import type { Intent } from '../strategy/contract/intent.js';
import type { SimulatedEvent } from './simulation-recorder.js';

/**
 * A run as lines for a snapshot, such as `#7 order buy 1 BTCUSDT at the market, stop 98`: the index of the
 * candle and its intents, explanations, orders and fills.
 */
export const eventLog = (events: readonly SimulatedEvent[]): string =>
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
  const { symbol, request, ...own } = { symbol: undefined, request: undefined, ...rest };
  const fields = { ...own, ...(request as object | undefined) };
  const parts = Object.entries(fields)
    .filter(([name]) => name !== 'symbol')
    .map(([name, value]) =>
      VALUE_ONLY_FIELDS.has(name) ? String(value) : `${name} ${String(value)}`,
    );
  return [kind, ...(symbol === undefined ? [] : [symbol]), ...parts].join(' ');
}

/** Fields whose value needs no name. */
const VALUE_ONLY_FIELDS: ReadonlySet<string> = new Set([
  'conviction',
  'quantity',
  'side',
  'orderKey',
]);
