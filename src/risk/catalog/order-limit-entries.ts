import { textFromFixed } from '../../core/fixed/fixed.js';
import { BY_INTERVAL, percentText, type LimitEntry } from './limit-entry.js';

/** Limits of single orders and of a symbol's position. */
export const ORDER_LIMIT_ENTRIES: readonly LimitEntry[] = [
  {
    key: 'max_order_notional_usdt',
    control: 'R01',
    unit: 'USDT',
    tighter: 'lower',
    read: (limits) => textFromFixed(limits.maxOrderNotional),
  },
  {
    key: 'max_order_notional_pct_equity',
    control: 'R01',
    unit: '% of equity',
    tighter: 'lower',
    read: (limits) => percentText(limits.maxOrderNotionalShare),
  },
  {
    key: 'max_order_qty',
    control: 'R02',
    unit: 'base units',
    tighter: 'per-symbol',
    read: ({ maxOrderQuantity }) => {
      const texts = [...maxOrderQuantity].map(
        ([symbol, quantity]) => `${symbol} ${textFromFixed(quantity)}`,
      );
      return texts.length === 0 ? undefined : texts.sort().join(', ');
    },
  },
  {
    key: 'price_collar_bps.entry_aggressive',
    control: 'R03',
    unit: 'bps',
    tighter: 'lower',
    read: ({ priceCollarBps }) => textFromFixed(priceCollarBps.entryAggressive),
  },
  {
    key: 'price_collar_bps.entry_passive',
    control: 'R03',
    unit: 'bps',
    tighter: 'lower',
    read: ({ priceCollarBps }) => textFromFixed(priceCollarBps.passive),
  },
  {
    key: 'price_collar_bps.exit',
    control: 'R03',
    unit: 'bps',
    tighter: 'lower',
    read: ({ priceCollarBps }) => textFromFixed(priceCollarBps.exitAggressive),
  },
  {
    key: 'max_ref_price_age_ms.entry',
    control: 'R05',
    unit: 'ms',
    tighter: 'lower',
    read: (limits) => String(limits.maxReferencePriceAgeMs.entry),
  },
  {
    key: 'max_ref_price_age_ms.exit',
    control: 'R05',
    unit: 'ms',
    tighter: 'lower',
    read: (limits) => String(limits.maxReferencePriceAgeMs.exit),
  },
  {
    key: 'max_state_age_ms.entry',
    control: 'R06',
    unit: 'ms',
    tighter: 'lower',
    read: (limits) => String(limits.maxStateAgeMs.entry),
  },
  {
    key: 'max_state_age_ms.exit',
    control: 'R06',
    unit: 'ms',
    tighter: 'lower',
    read: (limits) => String(limits.maxStateAgeMs.exit),
  },
  {
    key: 'duplicate_window_ms',
    control: 'R08',
    unit: 'ms',
    tighter: 'higher',
    read: (limits) => String(limits.duplicateWindowMs),
  },
  {
    key: 'max_open_orders.symbol',
    control: 'R10',
    unit: 'orders',
    tighter: 'lower',
    read: ({ maxOpenOrders }) => String(maxOpenOrders.symbol),
  },
  {
    key: 'max_open_orders.account',
    control: 'R10',
    unit: 'orders',
    tighter: 'lower',
    read: ({ maxOpenOrders }) => String(maxOpenOrders.account),
  },
  {
    key: 'max_position_notional.usdt',
    control: 'R12',
    unit: 'USDT',
    tighter: 'lower',
    read: (limits) => textFromFixed(limits.maxPositionNotional),
  },
  {
    key: 'max_position_notional.pct_equity',
    control: 'R12',
    unit: '% of equity',
    tighter: 'lower',
    read: (limits) => percentText(limits.maxPositionNotionalShare),
  },
  {
    key: 'max_leverage',
    control: 'R15',
    unit: 'x',
    tighter: 'lower',
    read: (limits) => textFromFixed(limits.maxLeverage),
  },
  {
    key: 'max_entry_age_ms',
    control: 'R27',
    unit: 'ms',
    tighter: 'lower',
    read: ({ maxEntryAgeMs }) =>
      maxEntryAgeMs === undefined ? BY_INTERVAL : String(maxEntryAgeMs),
  },
  {
    key: 'symbols_allow',
    control: 'R28',
    unit: '',
    tighter: 'subset',
    read: ({ symbolsAllow }) => (symbolsAllow === '*' ? '*' : [...symbolsAllow].sort().join(', ')),
  },
  {
    key: 'currencies_allow',
    control: 'R28',
    unit: '',
    tighter: 'subset',
    read: ({ currenciesAllow }) => [...currenciesAllow].sort().join(', '),
  },
];
