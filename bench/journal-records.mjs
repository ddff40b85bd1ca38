// Records of orders by the dozen, as a bot journals them.
import { fixedFromText as d } from '../dist/src/core/fixed/fixed.js';
import { clientOrderIdOf } from '../dist/src/core/ids.js';
import { decisionKey } from '../dist/src/core/intent.js';
import { payloadHashOf } from '../dist/src/execution/journal/journal-record.js';

export const ACCOUNT = 'bench';
const START = Date.UTC(2025, 0, 1);
const VALUES = Object.fromEntries(
  Array.from({ length: 16 }, (_, at) => [`value_${at}`, `${at * 1_234}.5`]),
);

/**
 * Orders one after another: verdict, intent, attempt, outcome and the end of each.
 * @param {object} [terms] of all of them
 */
export function* journalOfOrders(terms = {}) {
  for (let number = 0; ; number += 1) yield recordsOf(number, terms);
}

export function recordsOf(number, terms, venueOrder) {
  const symbol = terms.symbol ?? 'BTCUSDT';
  const openTime = START + number * 60_000;
  const venueTime = openTime + 60_000;
  const cause = { kind: 'candle', symbol, interval: '1m', openTime };
  const identity = { account: ACCOUNT, strategyId: 'cross', symbol, currency: 'USDT' };
  const clientOrderId = clientOrderIdOf({ ...identity, cause, ordinal: 0, leg: 0 }, 1);
  const base = { venueTime, clientOrderId };
  const decision = { strategyId: 'cross', decisionKey: decisionKey(cause, 0), leg: 0 };
  const orderTerms = {
    symbol,
    currency: 'USDT',
    side: number % 2 === 0 ? 'buy' : 'sell',
    type: 'market',
    quantity: d('0.004'),
    reduceOnly: false,
    ...terms,
  };
  const orderId = venueOrder?.orderId ?? `0194-${number}`;
  const text = 'approved by 14 controls';
  const filled = { filledQuantity: orderTerms.quantity, averagePrice: d('60000'), final: true };
  return [
    { type: 'verdict', ...base, ...decision, phase: 'decide', ok: true, text, values: VALUES },
    {
      ...{
        type: 'intent',
        ...base,
        generation: 1,
        ...decision,
        cause,
        ordinal: 0,
        terms: orderTerms,
      },
      ...{ referencePrice: d('60000'), decidedAt: venueTime, validUntil: venueTime + 3_000 },
      ...{ payloadHash: payloadHashOf(clientOrderId, orderTerms), reserved: d('240') },
    },
    { type: 'attempt', ...base, attempt: 1, generation: 1 },
    { type: 'outcome', ...base, attempt: 1, outcome: 'yes', orderId },
    venueOrder?.isOpen === true
      ? { type: 'note', ...base, level: 'info', text: 'it rests' }
      : { type: 'update', ...base, orderId, status: 'filled', ...filled },
  ];
}
