import type { Currency } from '../../core/currency.js';
import { absolute, larger, numberFromFixed, textFromFixed } from '../../core/fixed/fixed.js';
import { equityUsdt } from '../../risk/evidence.js';
import type { GateFacts } from '../../risk/facts.js';
import { notionalLimits, type NotionalLimit } from '../../risk/headroom.js';
import type { RiskLimits } from '../../risk/limits/risk-limits.js';
import type { LimitStatus } from './status-report.js';

/** Places of a USDT amount on a screen. */
const PLACES = 2;

/** Headroom of the gate's limits for these symbols, from the facts that the gate reads. */
export function limitStatuses(
  symbols: readonly string[],
  currency: Currency,
  facts: GateFacts,
  limits: RiskLimits,
): readonly LimitStatus[] {
  const equity = equityUsdt(currency, facts);
  const notional = notionalLimits(
    limits,
    equity === undefined ? Number.NaN : numberFromFixed(equity),
  );
  const { exposure } = facts;
  return [
    ...orderNotional(notional),
    counted('account', null, exposure.orderCount, limits.maxOpenOrders.account),
    ...symbols.flatMap((symbol) => [
      ...positionNotional(symbol, currency, facts, notional),
      counted(
        'symbol',
        symbol,
        exposure.of(symbol, currency).orderCount,
        limits.maxOpenOrders.symbol,
      ),
      leverage(symbol, currency, facts, limits),
    ]),
  ];
}

/** The smaller of the two limits, as the gate takes it; undefined without the equity. */
const least = (all: readonly NotionalLimit[], of: NotionalLimit['of']): NotionalLimit | undefined =>
  all
    .filter((limit) => limit.of === of)
    .reduce<NotionalLimit | undefined>(
      (a, b) => (a === undefined || b.usdt < a.usdt ? b : a),
      undefined,
    );

function orderNotional(notional: readonly NotionalLimit[]): readonly LimitStatus[] {
  const limit = least(notional, 'order');
  if (limit === undefined) return [];
  const text = limit.usdt.toFixed(PLACES);
  const isKnown = notional.every(({ usdt }) => Number.isFinite(usdt));
  return [
    {
      control: 'R01',
      key: limit.key.join('.'),
      symbol: null,
      used: null,
      limit: text,
      headroom: isKnown ? text : null,
      unit: 'USDT',
    },
  ];
}

function positionNotional(
  symbol: string,
  currency: Currency,
  facts: GateFacts,
  notional: readonly NotionalLimit[],
): readonly LimitStatus[] {
  const limit = least(notional, 'position');
  if (limit === undefined) return [];
  const { maxPosition, minPosition } = facts.exposure.of(symbol, currency);
  const price = facts.lastPrice(symbol);
  const worst = numberFromFixed(larger(absolute(maxPosition), absolute(minPosition)));
  const used = price === undefined ? undefined : worst * numberFromFixed(price);
  const isKnown = used !== undefined && notional.every(({ usdt }) => Number.isFinite(usdt));
  return [
    {
      control: 'R12',
      key: limit.key.join('.'),
      symbol,
      used: used?.toFixed(PLACES) ?? null,
      limit: limit.usdt.toFixed(PLACES),
      headroom: isKnown ? Math.max(0, limit.usdt - used).toFixed(PLACES) : null,
      unit: 'USDT',
    },
  ];
}

const counted = (
  of: 'account' | 'symbol',
  symbol: string | null,
  used: number,
  limit: number,
): LimitStatus => ({
  control: 'R10',
  key: `max_open_orders.${of}`,
  symbol,
  used: String(used),
  limit: String(limit),
  headroom: String(Math.max(0, limit - used)),
  unit: 'orders',
});

function leverage(
  symbol: string,
  currency: Currency,
  facts: GateFacts,
  { maxLeverage }: RiskLimits,
): LimitStatus {
  const set = facts.leverage(symbol, currency);
  const room = set === undefined ? null : numberFromFixed(maxLeverage) - numberFromFixed(set);
  return {
    control: 'R15',
    key: 'max_leverage',
    symbol,
    used: set === undefined ? null : textFromFixed(set),
    limit: textFromFixed(maxLeverage),
    headroom: room === null ? null : String(Math.max(0, Number(room.toPrecision(12)))),
    unit: 'x',
  };
}
