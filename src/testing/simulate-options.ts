import type { Candle } from '../core/candle.js';
import type { Interval } from '../core/interval.js';
import type { StrategyDefinition } from '../strategy/contract/definition.js';
import type { InstrumentRules } from './instrument.js';
import type { BySymbol, SimulatedStreams } from './streams.js';

/** A number above 0, or its plain decimal text, as in a configuration: `250` or `'250'`. */
export type SettingNumber = number | string;

/** The size of a conviction of 1, as `size` in a configuration: exactly one of the first five fields. */
export interface SizeSettings {
  /** Base units. */
  readonly quantity?: SettingNumber;
  /** USDT. */
  readonly notional?: SettingNumber;
  /** Notional, in per cent of the equity. */
  readonly equity_pct?: SettingNumber;
  /** Loss at the stop, in per cent of the equity. Needs `protect.stop_loss_pct` or a stop of the entry. */
  readonly risk_pct?: SettingNumber;
  /** Yearly volatility that the position adds to the equity, in per cent. */
  readonly volatility_pct?: SettingNumber;
  /** With `volatility_pct`: number of candles to measure it over, from 2; default 100. */
  readonly lookback?: SettingNumber;
  /** With `volatility_pct`: maximum notional, in per cent of the equity; default 100. */
  readonly max_equity_pct?: SettingNumber;
}

/** Exits, as `protect` in a configuration. Percentages are of the entry price unless noted. */
export interface ProtectSettings {
  /** Distance of the stop from the entry; below 100. Sent with the entry. */
  readonly stop_loss_pct?: SettingNumber;
  /** Distance of the take profit from the entry. Sent with the entry. */
  readonly take_profit_pct?: SettingNumber;
  /** Distance of a trailing stop from the best price since the entry, in per cent of it; below 100. */
  readonly trailing_pct?: SettingNumber;
  /** Favourable price move after which the stop moves to the entry. */
  readonly break_even_pct?: SettingNumber;
  /** Closes the position after this time: `90m`, `4h`, `2d`. */
  readonly max_hold?: string;
}

/** Order type of increases, as `entry` in a configuration. Reductions are market orders. */
export type EntrySettings =
  | 'market'
  | {
      /** A limit order beyond the last price, with a time to live. */
      readonly marketable_limit: {
        /** Basis points beyond the last price, below 10,000. */
        readonly bps: SettingNumber;
        /** Venue ms after which the remaining quantity is cancelled. */
        readonly ttl_ms: SettingNumber;
      };
    };

/** The options of `simulate`. */
export interface SimulateOptions extends SimulatedStreams {
  /** The result of `defineStrategy`, which is the default export of the strategy's file. */
  readonly strategy: StrategyDefinition;
  /** Of TESTUSDT, or by symbol: `{ BTCUSDT: […], ETHUSDT: […] }`. Each list ascends by open time. */
  readonly candles: BySymbol<Candle>;
  /** As in a configuration: validated, with defaults filled in. */
  readonly params?: unknown;
  /** Interval of the strategy; default: `candleInterval`. */
  readonly interval?: Interval;
  /** Interval of `candles`; default 1m. */
  readonly candleInterval?: Interval;
  /** Number of leading candles of the first symbol that are history: no orders on them; default 0. */
  readonly history?: number;
  /** As in a configuration; default: 1 base unit. */
  readonly size?: SizeSettings;
  /** As in a configuration; default: no stop and no take profit. */
  readonly protect?: ProtectSettings;
  /** As in a configuration; default: market orders. */
  readonly entry?: EntrySettings;
  /** Default: 1. */
  readonly leverage?: number;
  /** Opening balance, USDT; default 1,000,000. */
  readonly cash?: number;
  /** Fraction of the traded value, e.g. 0.00059; default 0, for simple arithmetic in tests. */
  readonly takerFee?: number;
  /** The same, for orders that rested before they filled; default 0. */
  readonly makerFee?: number;
  /** Basis points by which market orders fill worse; default 0. */
  readonly slippageBps?: number;
  /** Rules of the instruments, by symbol; default: fine steps and low minimums. */
  readonly instruments?: Readonly<Record<string, InstrumentRules>>;
  /** Whether `simulate` throws the first error of the strategy, or only records it; default: `throw`. */
  readonly onError?: 'throw' | 'record';
}
