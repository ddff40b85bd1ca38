import type { Currency } from '../core/currency.js';
import type { Amount, Price, Ratio } from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Exposure } from './exposure.js';
import type { LossFacts } from './loss/loss-facts.js';
import type { KillLevel, Mode } from './mode.js';

/** Two prices of a symbol, at most 1 s of venue time apart. */
export interface PriceJump {
  readonly from: Price;
  readonly to: Price;
}

/** The funding that is exchanged next. */
export interface FundingForecast {
  /** Fraction of the position's value; above 0 longs pay. */
  readonly rate: Ratio;
  /** Venue ms. */
  readonly nextSettlementMs: number;
}

/**
 * Facts that the gate reads at the moment of a check. `undefined` means "not known" and refuses wherever a
 * control needs the fact; it is never replaced by 0 or a default.
 */
export interface GateFacts {
  /** ms UTC at the venue. */
  readonly venueTime: number;
  /** ms, this process. All `…At` members are on it. */
  readonly monotonic: number;
  readonly exposure: Exposure;
  readonly killLevel: KillLevel | undefined;
  /** The stricter mode of the account and the symbol. */
  mode(symbol: string, currency: Currency): Mode;
  /** The restriction behind the mode, such as "R25: 5 errors in 60 s"; undefined: a phase, or none. */
  modeCause(symbol: string): string | undefined;
  /** Why not even an exit may leave: a phase before trading, or the end of the run; undefined: exits may. */
  readonly exitHold: string | undefined;
  /** Reason of the symbol's halt, which only an operator ends (R22); undefined: not halted. */
  haltReason(symbol: string, currency: Currency): string | undefined;
  instrument(symbol: string): Instrument | undefined;
  /** Last traded price, the newer of ticker and candle, and the time of its receipt. */
  lastPrice(symbol: string): Price | undefined;
  lastPriceAt(symbol: string): number | undefined;
  markPrice(symbol: string): Price | undefined;
  markPriceAt(symbol: string): number | undefined;
  /** Request times of the latest snapshots of open orders, positions and wallet. */
  ordersAt(currency: Currency): number | undefined;
  positionsAt(currency: Currency): number | undefined;
  walletAt(currency: Currency): number | undefined;
  /** Wallet balance + locked (+ unrealised where known), in `currency`. */
  equity(currency: Currency): Amount | undefined;
  /** Wallet balance + locked, without unrealised PnL, in `currency`. */
  walletTotal(currency: Currency): Amount | undefined;
  /** Average entry price of the position; undefined when flat, or not known. */
  entryPrice(symbol: string, currency: Currency): Price | undefined;
  /** Highest price of the open orders of others; undefined: none is known. */
  externalOrderPrice(symbol: string, currency: Currency): Price | undefined;
  /** The largest jump of the last minute of venue time; undefined: no two prices within 1 s. */
  priceJump(symbol: string): PriceJump | undefined;
  /**
   * Largest range of a minute within the last 5 min of venue time, ÷ the average range of the 60 minutes before
   * it; undefined while fewer minutes are known.
   */
  volatility(symbol: string): Ratio | undefined;
  /** undefined where the venue or the mode gives no funding rate. */
  funding(symbol: string): FundingForecast | undefined;
  /** Losses of the wallet's venue day; undefined until its equity is known. */
  losses(currency: Currency): LossFacts | undefined;
  /** INR per USDT; read for INR orders only. */
  hedgeRate(): Ratio | undefined;
  /** Venue ms of that rate; undefined while there is none. */
  hedgeRateAt(): number | undefined;
  /** Leverage of the config, and as last read from the venue. */
  configuredLeverage(symbol: string, currency: Currency): Ratio | undefined;
  leverage(symbol: string, currency: Currency): Ratio | undefined;
}
