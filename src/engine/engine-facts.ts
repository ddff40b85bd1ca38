import type { Currency } from '../core/currency.js';
import type { EventTime } from '../core/events.js';
import {
  add,
  fixedFromNumber,
  multiply,
  ZERO,
  type Amount,
  type Price,
  type Ratio,
  type Usdt,
} from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderTerms } from '../core/order.js';
import type { PositionLedger } from '../execution/position-ledger.js';
import type { LossFacts } from '../risk/loss/loss-facts.js';
import type { Exposure } from '../risk/exposure.js';
import type { FundingForecast, GateFacts, PriceJump } from '../risk/facts.js';
import type { KillLevel, Mode } from '../risk/mode.js';
import type { HedgeRate } from './account/hedge-rate.js';
import type { LossMonitor } from './account/loss-monitor.js';
import type { ExternalActivity } from './reconciliation/external-activity.js';
import type { AccountView } from './account/account-view.js';
import type { LeverageSettings } from './watch/leverage-settings.js';
import type { NextFunding } from '../strategy/contract/strategy-port.js';
import type { PriceCache } from './market/price-cache.js';
import type { PriceMoves } from './market/price-moves.js';
import type { SymbolHalts } from './account/symbol-halts.js';
import type { TradingState } from './trading-state.js';

/** The engine's state as the gate reads it: at the moment of a judgement, never copied. */
export class EngineFacts implements GateFacts {
  readonly #parts: EngineFactsParts;
  /** A rate changes once in hours, and every check reads it. */
  readonly #forecasts = new WeakMap<NextFunding, FundingForecast>();

  constructor(parts: EngineFactsParts) {
    this.#parts = parts;
  }

  get venueTime(): number {
    return this.#parts.stamp.venueTime;
  }
  get monotonic(): number {
    return this.#parts.stamp.monotonic;
  }
  get exposure(): Exposure {
    return this.#parts.exposure;
  }
  get killLevel(): KillLevel | undefined {
    return this.#parts.tradingState.killLevel;
  }
  mode(symbol: string): Mode {
    return this.#parts.tradingState.gateMode(symbol);
  }
  modeCause(symbol: string): string | undefined {
    return this.#parts.tradingState.modeCause(symbol);
  }
  get exitHold(): string | undefined {
    return this.#parts.tradingState.exitHold;
  }
  /** Whether everything in the mode that stops the order ends by itself. */
  isModeTransient({ symbol, reduceOnly }: Pick<OrderTerms, 'symbol' | 'reduceOnly'>): boolean {
    return this.#parts.tradingState.isTransient(symbol, reduceOnly);
  }
  haltReason(symbol: string): string | undefined {
    return this.#parts.halts.reason(symbol);
  }
  instrument(symbol: string): Instrument | undefined {
    return this.#parts.instruments.get(symbol);
  }
  lastPrice(symbol: string): Price | undefined {
    return this.#parts.prices.lastPrice(symbol)?.price;
  }
  lastPriceAt(symbol: string): number | undefined {
    return this.#parts.prices.lastPrice(symbol)?.at;
  }
  markPrice(symbol: string): Price | undefined {
    return this.#parts.prices.markPrice(symbol)?.price;
  }
  markPriceAt(symbol: string): number | undefined {
    return this.#parts.prices.markPrice(symbol)?.at;
  }
  ordersAt(currency: Currency): number | undefined {
    return finiteTime(this.#parts.account.of(currency).ordersAt);
  }
  positionsAt(currency: Currency): number | undefined {
    return finiteTime(this.#parts.account.of(currency).positionsAt);
  }
  walletAt(currency: Currency): number | undefined {
    return finiteTime(this.#parts.account.of(currency).walletAt);
  }

  /**
   * Balance + locked + unrealised PnL at the last price, with trades that the wallet does not show yet. undefined
   * until the wallet was read, and while the rate from USDT to the wallet's currency is unknown.
   */
  equity(currency: Currency): Amount | undefined {
    const { wallet, walletAt } = this.#parts.account.of(currency);
    if (wallet === undefined) return undefined;
    let unrealised = ZERO as Usdt;
    const { positions } = this.#parts;
    for (const position of positions.openPositions()) {
      const last = this.#parts.prices.lastPrice(position.symbol);
      if (position.currency !== currency || last === undefined) continue;
      const { symbol } = position;
      unrealised = add(unrealised, positions.unrealised(symbol, currency, last.price));
    }
    const inCurrency = this.#fromUsdt(unrealised, currency);
    if (inCurrency === undefined) return undefined;
    // A position that has just closed is in no read of the wallet yet.
    const cash = this.#parts.losses?.cashAfterTrades(currency, walletAt);
    return add(cash ?? add(wallet.balance, wallet.locked), inCurrency);
  }

  walletTotal(currency: Currency): Amount | undefined {
    const wallet = this.#parts.account.of(currency).wallet;
    return wallet === undefined ? undefined : add(wallet.balance, wallet.locked);
  }
  entryPrice(symbol: string, currency: Currency): Price | undefined {
    return this.#parts.positions.entryPrice(symbol, currency);
  }
  externalOrderPrice(symbol: string, currency: Currency): Price | undefined {
    return this.#parts.external.orderPrice(symbol, currency);
  }
  priceJump(symbol: string): PriceJump | undefined {
    return this.#parts.priceMoves.jump(symbol, this.venueTime);
  }
  volatility(symbol: string): Ratio | undefined {
    return this.#parts.priceMoves.volatility(symbol, this.venueTime);
  }
  funding(symbol: string): FundingForecast | undefined {
    const next = this.#parts.funding.get(symbol);
    if (next === undefined) return undefined;
    const known = this.#forecasts.get(next);
    if (known !== undefined) return known;
    const { rate, nextSettlementMs } = next;
    const forecast = { rate: fixedFromNumber<'ratio'>(rate), nextSettlementMs };
    this.#forecasts.set(next, forecast);
    return forecast;
  }

  #fromUsdt(amount: Usdt, currency: Currency): Amount | undefined {
    if (currency === 'USDT' || amount === 0) return amount;
    const rate = this.hedgeRate();
    return rate === undefined ? undefined : multiply(amount, rate);
  }

  /** Whether entries wait for the venue's list of transfers (R19). */
  get isWalletUnexplained(): boolean {
    return this.#parts.losses?.unexplained !== undefined;
  }

  losses(currency: Currency): LossFacts | undefined {
    return this.#parts.losses?.facts(currency);
  }

  hedgeRate(): Ratio | undefined {
    return this.#parts.hedgeRate.current;
  }
  hedgeRateAt(): number | undefined {
    return this.#parts.hedgeRate.at;
  }
  configuredLeverage(symbol: string): Ratio | undefined {
    return this.#parts.leverage.configured(symbol);
  }
  leverage(symbol: string): Ratio | undefined {
    return this.#parts.leverage.read(symbol);
  }
}

export interface EngineFactsParts {
  readonly stamp: Readonly<EventTime>;
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly prices: PriceCache;
  readonly priceMoves: PriceMoves;
  /** Next funding by symbol. */
  readonly funding: ReadonlyMap<string, NextFunding>;
  readonly account: AccountView;
  readonly positions: PositionLedger;
  readonly external: ExternalActivity;
  readonly exposure: Exposure;
  readonly halts: SymbolHalts;
  readonly leverage: LeverageSettings;
  /** undefined under preset `none`. */
  readonly losses: LossMonitor | undefined;
  readonly hedgeRate: Pick<HedgeRate, 'current' | 'at'>;
  readonly tradingState: Pick<
    TradingState,
    'gateMode' | 'modeCause' | 'exitHold' | 'isTransient' | 'killLevel'
  >;
}

const finiteTime = (at: number): number | undefined =>
  at === Number.NEGATIVE_INFINITY ? undefined : at;
