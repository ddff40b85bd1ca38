import { absolute, larger, numberFromFixed, smaller } from '../../../core/fixed/fixed.js';
import { defaultEntryAgeMs } from '../../../engine/order/order-checks.js';
import { equityUsdt } from '../../../risk/evidence.js';
import { notionalLimits, type NotionalLimit } from '../../../risk/headroom.js';
import { STORM_COUNT } from '../../../risk/recent-intents.js';
import {
  ageOf,
  numberOf,
  state,
  type LimitInputs,
  type LimitReader,
  type LimitReading,
} from './limit-reading.js';

/** Controls of one order and of its symbol. */
export const ORDER_READINGS = {
  R01: (inputs) => notionals(inputs, 'order').map((limit) => notionalReading(limit, null)),
  R02: ({ symbols, facts, limits }) =>
    symbols.map((symbol) => {
      const instrument = facts.instrument(symbol);
      const venue = instrument && smaller(instrument.maxQuantity, instrument.maxMarketQuantity);
      const own = limits.maxOrderQuantity.get(symbol);
      const limit = own === undefined || venue === undefined ? venue : smaller(own, venue);
      return { key: 'max_order_qty', symbol, used: null, limit: numberOf(limit), unit: 'base' };
    }),
  R03: ({ limits: { priceCollarBps: collar } }) =>
    (
      [
        ['entry_aggressive', collar.entryAggressive],
        ['entry_passive', collar.passive],
        ['exit', collar.exitAggressive],
      ] as const
    ).map(([part, limit]) => ({
      key: `price_collar_bps.${part}`,
      used: null,
      limit: numberFromFixed(limit),
      unit: 'bps',
    })),
  R04: ({ limits }) => [
    state(limits.market.marketEntries ? 'allow' : 'reduce_only', 'market_orders'),
  ],
  R05: ({ symbols, facts, limits }) =>
    symbols.flatMap((symbol) => {
      const used = ageOf(facts.monotonic, facts.lastPriceAt(symbol));
      return bothAges('max_ref_price_age_ms', limits.maxReferencePriceAgeMs, used, { symbol });
    }),
  R06: ({ facts, currency, limits }) => {
    const ages = [facts.ordersAt(currency), facts.positionsAt(currency), facts.walletAt(currency)];
    const known = ages.filter((at) => at !== undefined);
    const oldest = known.length === ages.length ? Math.min(...known) : undefined;
    const used = ageOf(facts.monotonic, oldest);
    return bothAges('max_state_age_ms', limits.maxStateAgeMs, used, {});
  },
  R07: () => [state('on', 'instrument_rules')],
  R08: ({ strategies, counts, limits }) =>
    strategies.map(({ id }) => ({
      key: 'duplicate_window_ms',
      strategy: id,
      used: counts.duplicates(id),
      limit: STORM_COUNT,
      unit: 'orders',
      state:
        limits.duplicateWindowMs === 0 ? 'window off' : `window ${limits.duplicateWindowMs} ms`,
    })),
  R10: ({ symbols, currency, facts: { exposure }, limits: { maxOpenOrders } }) => [
    openOrders('account', exposure.orderCount, maxOpenOrders.account),
    ...symbols.map((symbol) => ({
      ...openOrders('symbol', exposure.of(symbol, currency).orderCount, maxOpenOrders.symbol),
      symbol,
    })),
  ],
  R12: (inputs) => {
    const { symbols, currency, facts } = inputs;
    return symbols.flatMap((symbol) => {
      const { maxPosition, minPosition } = facts.exposure.of(symbol, currency);
      const price = numberOf(facts.lastPrice(symbol));
      const worst = numberFromFixed(larger(absolute(maxPosition), absolute(minPosition)));
      const used = price === undefined ? undefined : worst * price;
      return notionals(inputs, 'position').map((limit) => ({
        ...notionalReading(limit, used),
        symbol,
      }));
    });
  },
  R15: ({ symbols, currency, facts, limits }) =>
    symbols.map((symbol) => ({
      key: 'max_leverage',
      symbol,
      used: numberOf(facts.leverage(symbol, currency)),
      limit: numberFromFixed(limits.maxLeverage),
      unit: 'x',
    })),
  R20: () => [state('on', 'self_cross')],
  R27: ({ strategies, limits }) => [
    ...strategies.map(({ id, interval }) => ({
      key: 'max_entry_age_ms',
      strategy: id,
      used: null,
      limit: limits.maxEntryAgeMs ?? defaultEntryAgeMs(interval),
      unit: 'ms' as const,
    })),
    {
      key: 'max_price_drift_bps',
      used: null,
      limit: numberFromFixed(limits.market.maxDriftBps),
      unit: 'bps',
    },
  ],
  R28: ({ limits: { symbolsAllow, currenciesAllow } }) => [
    state(symbolsAllow === '*' ? '*' : [...symbolsAllow].sort().join(', '), 'symbols_allow'),
    state([...currenciesAllow].sort().join(', '), 'currencies_allow'),
  ],
  R33: ({ counts, limits }) => [
    {
      key: 'max_order_lifetime_ms',
      used: counts.oldestEntryMs ?? null,
      limit: limits.protection.maxOrderLifetimeMs,
      unit: 'ms',
      ...(counts.oldestEntryMs === undefined && { state: 'no entry rests' }),
    },
  ],
} satisfies Partial<Record<string, LimitReader>>;

function notionals(
  { facts, currency, limits }: LimitInputs,
  of: NotionalLimit['of'],
): readonly NotionalLimit[] {
  const equity = numberOf(equityUsdt(currency, facts)) ?? Number.NaN;
  return notionalLimits(limits, equity).filter((limit) => limit.of === of);
}

const notionalReading = (
  { key, usdt }: NotionalLimit,
  used: number | null | undefined,
): LimitReading => ({
  key: key.join('.'),
  used,
  limit: Number.isFinite(usdt) ? usdt : undefined,
  unit: 'USDT',
});

const bothAges = (
  key: string,
  limits: { readonly entry: number; readonly exit: number },
  used: number | undefined,
  of: Pick<LimitReading, 'symbol'>,
): readonly LimitReading[] =>
  (['entry', 'exit'] as const).map((part) => ({
    ...of,
    key: `${key}.${part}`,
    used,
    limit: limits[part],
    unit: 'ms',
  }));

const openOrders = (of: 'account' | 'symbol', used: number, limit: number) => ({
  key: `max_open_orders.${of}`,
  used,
  limit,
  unit: 'orders' as const,
});
