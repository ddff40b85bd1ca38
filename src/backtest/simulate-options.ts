import type { Candle } from '../core/candle.js';
import type { Interval } from '../core/interval.js';
import type { StrategyDefinition } from '../strategy/definition.js';
import type { InstrumentRules } from './test-instrument.js';
import type { BySymbol, SimulatedStreams } from './test-streams.js';

/** A number above 0, or its plain decimal text, as in a configuration: `250` or `'250'`. */
export type SettingNumber = number | string;

/** How much a conviction of 1 is, as `size` of a configuration: exactly one of the first five. */
export interface SizeSettings {
  /** Base units. */
  readonly quantity?: SettingNumber;
  /** USDT. */
  readonly notional?: SettingNumber;
  /** Notional, in per cent of the equity. */
  readonly equity_pct?: SettingNumber;
  /** Loss at the stop, in per cent of the equity: needs `protect.stop_loss_pct` or a stop of the entry. */
  readonly risk_pct?: SettingNumber;
  /** Yearly volatility, in per cent, that the position brings to the equity. */
  readonly volatility_pct?: SettingNumber;
  /** With `volatility_pct`: candles that it is measured over, from 2; default 100. */
  readonly lookback?: SettingNumber;
  /** With `volatility_pct`: notional at most, in per cent of the equity; default 100. */
  readonly max_equity_pct?: SettingNumber;
}

/** Exits, as `protect` of a configuration. Percentages are of the entry price unless they say otherwise. */
export interface ProtectSettings {
  /** Stop so far from the entry; below 100. Sent with the entry. */
  readonly stop_loss_pct?: SettingNumber;
  /** Target so far from the entry. Sent with the entry. */
  readonly take_profit_pct?: SettingNumber;
  /** Stop that follows the best price since the entry, in per cent of that; below 100. */
  readonly trailing_pct?: SettingNumber;
  /** Once the price has moved so far in favour, the stop stands at the entry. */
  readonly break_even_pct?: SettingNumber;
  /** Closes the position after so long: `90m`, `4h`, `2d`. */
  readonly max_hold?: string;
}

/** How increases are sent, as `entry` of a configuration; what reduces is a market order. */
export type EntrySettings =
  | 'market'
  | {
      /** A limit order beyond the last price, and how long it may rest. */
      readonly marketable_limit: {
        /** Basis points beyond the last price, below 10,000. */
        readonly bps: SettingNumber;
        /** Venue ms after which the rest is cancelled. */
        readonly ttl_ms: SettingNumber;
      };
    };

/** What `simulate` is told. */
export interface SimulateOptions extends SimulatedStreams {
  /** As `defineStrategy` returned it: the default export of its file. */
  readonly strategy: StrategyDefinition;
  /** Of TESTUSDT, or by symbol: `{ BTCUSDT: […], ETHUSDT: […] }`. Each ascends by open time. */
  readonly candles: BySymbol<Candle>;
  /** As in a config: checked, defaults filled in. */
  readonly params?: unknown;
  /** What the strategy sees; default: `candleInterval`. */
  readonly interval?: Interval;
  /** Of the candles; default 1m. */
  readonly candleInterval?: Interval;
  /** Leading candles of the first symbol that are history: seen, and not acted on; default 0. */
  readonly history?: number;
  /** As in a config; default: 1 base unit. */
  readonly size?: SizeSettings;
  /** As in a config; default: no stop and no target. */
  readonly protect?: ProtectSettings;
  /** As in a config; default: market orders. */
  readonly entry?: EntrySettings;
  /** Default: 1. */
  readonly leverage?: number;
  /** In the wallet, USDT; default 1,000,000. */
  readonly cash?: number;
  /** Fraction of the traded value, e.g. 0.00059; default 0, so that sums can be done by hand. */
  readonly takerFee?: number;
  /** The same of orders that rested before they filled; default 0. */
  readonly makerFee?: number;
  /** Basis points by which market orders fill worse; default 0. */
  readonly slippageBps?: number;
  /** Rules of the instruments, by symbol; default: fine steps and no minimum. */
  readonly instruments?: Readonly<Record<string, InstrumentRules>>;
  /** Whether a throw of the strategy ends the simulation with it; default: it does. */
  readonly onError?: 'throw' | 'record';
}
