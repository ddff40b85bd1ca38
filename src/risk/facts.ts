import type { Currency } from '../core/currency.js';
import type { Amount, Price, Ratio } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Exposure } from './exposure.js';
import type { KillLevel, Mode } from './mode.js';

/**
 * What the gate asks about the world at the moment of a judgement, and only then. `undefined` is
 * "not known", which refuses wherever a control needs it; never 0, never a stand-in.
 */
export interface GateFacts {
  /** ms UTC at the venue. */
  readonly venueTime: number;
  /** ms, this process. All `…At` members are on it. */
  readonly monotonic: number;
  readonly exposure: Exposure;
  readonly killLevel: KillLevel | undefined;
  /** The stricter of the account's and the symbol's. */
  mode(symbol: string, currency: Currency): Mode;
  /** Why only a person may let this symbol increase again (R22); undefined: it is free. */
  halted(symbol: string, currency: Currency): string | undefined;
  instrument(symbol: string): Instrument | undefined;
  /** Last traded price, from ticker or candle, the newer; and when it was learnt. */
  lastPrice(symbol: string): Price | undefined;
  lastPriceAt(symbol: string): number | undefined;
  markPrice(symbol: string): Price | undefined;
  markPriceAt(symbol: string): number | undefined;
  /** When the newest snapshot of open orders, positions, wallet was asked for. */
  ordersAt(currency: Currency): number | undefined;
  positionsAt(currency: Currency): number | undefined;
  walletAt(currency: Currency): number | undefined;
  /** Wallet balance + locked (+ unrealised where known), in `currency`. */
  equity(currency: Currency): Amount | undefined;
  /** INR per USDT; asked for INR orders only. */
  hedgeRate(): Ratio | undefined;
  /** What the config asks for, and what the venue was last read to have. */
  configuredLeverage(symbol: string, currency: Currency): Ratio | undefined;
  leverage(symbol: string, currency: Currency): Ratio | undefined;
}
