import { recordText } from '../../src/core/record-json.js';
import { Decimal } from 'decimal.js';
import { expect } from 'vitest';
import type { CloseReport, FeeReport } from '../../src/core/account.js';
import { CURRENCIES, type Currency } from '../../src/core/currency.js';
import { textFromFixed, type Amount, type Fixed } from '../../src/core/fixed/fixed.js';
import type { Assumptions } from '../../src/exchange/assumptions.js';
import type {
  ExchangeEvent,
  ExchangeOrder,
  ExchangePosition,
  Execution,
  SimulatedExchange,
} from '../../src/exchange/simulated-exchange.js';
import { NaiveLedger, type NaiveFilled, type NaiveRules } from './naive-ledger.js';

/** A comparable fee row. */
interface ExpectedFee {
  readonly kind: FeeReport['kind'];
  readonly amount: string;
  readonly value: string;
}

interface Fill {
  readonly order: ExchangeOrder;
  readonly execution: Execution;
}

/** Feeds the events of the exchange to the naive ledger and compares the state of both. */
export class ReferenceCheck {
  readonly naive: NaiveLedger;
  readonly #exchange: SimulatedExchange;
  readonly #assumptions: Assumptions;
  readonly #fundingRate: (symbol: string, settlementMs: number) => Fixed;
  readonly #fees: Record<Currency, ExpectedFee[]> = { USDT: [], INR: [] };
  #fill: Fill | undefined;
  #close: CloseReport | undefined;
  /** A requested change of margin that is not confirmed yet. */
  #marginChange: (() => void) | undefined;

  constructor(parts: {
    readonly exchange: SimulatedExchange;
    readonly rules: NaiveRules;
    readonly assumptions: Assumptions;
    readonly fundingRate: (symbol: string, settlementMs: number) => Fixed;
  }) {
    const { exchange } = parts;
    this.#exchange = exchange;
    this.#assumptions = parts.assumptions;
    this.#fundingRate = parts.fundingRate;
    const startOf = (currency: Currency): { spot: string; futures: string } => ({
      spot: textFromFixed(exchange.spotBalance(currency)),
      futures: textFromFixed(exchange.futuresWallet(currency).balance),
    });
    this.naive = new NaiveLedger(
      parts.rules,
      { USDT: startOf('USDT'), INR: startOf('INR') },
      textFromFixed(exchange.hedgeRate('INR')),
    );
    exchange.listen((event) => this.#onEvent(event));
  }

  /** The events of an accepted change of margin may precede its reply. */
  adjustMargin(position: ExchangePosition, change: Amount): boolean {
    const { symbol, currency, positionId } = position;
    this.#marginChange = () => this.naive.adjustMargin(symbol, currency, textFromFixed(change));
    const { ok } = this.#exchange.adjustMargin(positionId, change);
    if (ok) this.#applyMarginChange();
    this.#marginChange = undefined;
    return ok;
  }

  compare(): void {
    expect(this.#fill, 'every fill is followed by its position').toBeUndefined();
    for (const currency of CURRENCIES) {
      same(this.#wallet(currency), this.naive.wallet(currency));
      same(this.#positions(currency), this.#naivePositions(currency));
      const equity = this.naive.equity(currency, (symbol) => this.#price(symbol, 'last'));
      same(textFromFixed(this.#exchange.equity(currency)), equity);
      this.#compareFees(currency);
    }
  }

  /** Compares the unrounded liquidation prices with additional margin, within 40 digits. */
  compareLiquidation(position: ExchangePosition, extra: Amount): void {
    const { positionId, symbol, currency } = position;
    const result = this.#exchange.liquidationPriceWith(positionId, extra);
    const expected = this.naive.liquidationPrice(symbol, currency, textFromFixed(extra));
    const reportedPrice = result.ok ? result.value : new Decimal(-1);
    const floor = expected.isNegative() ? new Decimal(0) : expected;
    // The exchange rounds collateral to 1e-16 USDT; the smallest position here has 0.001 units.
    expect(reportedPrice.minus(floor).abs().toNumber()).toBeLessThan(1e-10);
  }

  #onEvent(event: ExchangeEvent): void {
    if (event.kind === 'fill') this.#fill = event;
    else if (event.kind === 'close') this.#close = event.close;
    else if (event.kind === 'funding') this.#onFunding(event.fee);
    else if (event.kind === 'position') {
      if (this.#fill === undefined) this.#applyMarginChange();
      else this.#onFill(this.#fill);
    }
  }

  #applyMarginChange(): void {
    this.#marginChange?.();
    this.#marginChange = undefined;
  }

  #onFill({ order, execution }: Fill): void {
    const close = this.#close;
    this.#fill = undefined;
    this.#close = undefined;
    const { symbol, currency } = order;
    const filled = this.naive.fill({
      symbol,
      currency,
      // A stop or target has no side: it closes the position that it protects.
      side: order.side ?? (close?.side === 'long' ? 'sell' : 'buy'),
      price: textFromFixed(execution.price),
      quantity: textFromFixed(execution.quantity),
      maker: execution.maker,
      leverage: textFromFixed(order.leverage),
      liquidation: close?.kind === 'liquidated',
    });
    this.#compareFill({ order, execution }, close, filled);
    this.#expectFee(currency, { kind: 'transaction', amount: filled.fee, value: filled.value });
    if (filled.rebate !== '0') {
      this.#expectFee(currency, { kind: 'rebate', amount: filled.rebate, value: filled.value });
    }
  }

  #compareFill(
    { order, execution }: Fill,
    close: CloseReport | undefined,
    filled: NaiveFilled,
  ): void {
    same(textFromFixed(execution.fee), filled.fee);
    same(close && closeText(close), filled.close);
    const [before, after] = [new Decimal(filled.heldBefore), new Decimal(filled.held)];
    if (order.reduceOnly) {
      const shrinks = after.abs().lt(before.abs()) && after.times(before).gte(0);
      expect(shrinks, `reduce-only went from ${filled.heldBefore} to ${filled.held}`).toBe(true);
    }
    if (close === undefined) return;
    expect(close.orderId).toBe(order.orderId);
    expect(close.exitHedgeRate).toBe(this.#exchange.hedgeRate(order.currency));
  }

  #onFunding(fee: FeeReport): void {
    const { symbol, currency, createdAt } = fee;
    const price = this.#price(symbol, this.#assumptions.fundingPrice);
    const rate = textFromFixed(this.#fundingRate(symbol, createdAt));
    const { amount, value } = this.naive.funding(symbol, currency, price, rate);
    this.#expectFee(currency, { kind: 'funding', amount, value });
  }

  #expectFee(currency: Currency, fee: ExpectedFee): void {
    this.#fees[currency].push(fee);
  }

  #compareFees(currency: Currency): void {
    const rows = this.#exchange.fees(currency);
    same(rows.map(feeText).reverse(), this.#fees[currency]);
  }

  #wallet(currency: Currency): ReturnType<NaiveLedger['wallet']> {
    const { balance, locked } = this.#exchange.futuresWallet(currency);
    const { realisedPnl, fees, funding } = this.#exchange.totals(currency);
    return {
      spot: textFromFixed(this.#exchange.spotBalance(currency)),
      balance: textFromFixed(balance),
      locked: textFromFixed(locked),
      realisedPnl: textFromFixed(realisedPnl),
      fees: textFromFixed(fees),
      funding: textFromFixed(funding),
    };
  }

  #positions(currency: Currency): unknown {
    const rows = this.#exchange.positions(currency).map((row) => ({
      symbol: row.symbol,
      side: row.side,
      quantity: textFromFixed(row.quantity),
      entryPrice: textFromFixed(row.entryPrice),
      leverage: textFromFixed(row.leverage),
      entryHedgeRate: textFromFixed(row.entryHedgeRate),
      initialMargin: textFromFixed(row.initialMargin),
      maintenanceMargin: textFromFixed(row.maintenanceMargin),
      liquidationPrice: row.liquidationPrice && textFromFixed(row.liquidationPrice),
    }));
    return rows.sort(bySymbol);
  }

  #naivePositions(currency: Currency): unknown {
    return this.naive.positions(currency, (symbol) => this.#price(symbol, 'mark')).sort(bySymbol);
  }

  #price(symbol: string, which: 'last' | 'mark'): string {
    const prices = this.#exchange.prices(symbol);
    if (prices === undefined) throw new Error(`No price of ${symbol}`);
    return textFromFixed(prices[which]);
  }
}

/** Like `toEqual`, but compares the texts first, because this runs a million times. */
export function same(actual: unknown, expected: unknown): void {
  if (recordText(actual) !== recordText(expected)) expect(actual).toEqual(expected);
}

const bySymbol = (a: { readonly symbol: string }, b: { readonly symbol: string }): number =>
  a.symbol < b.symbol ? -1 : 1;

const feeText = ({ kind, amount, value }: FeeReport): ExpectedFee => ({
  kind,
  amount: textFromFixed(amount),
  value: textFromFixed(value),
});

const closeText = (close: CloseReport): NaiveFilled['close'] => ({
  side: close.side,
  quantity: textFromFixed(close.quantity),
  entryPrice: textFromFixed(close.entryPrice),
  closePrice: textFromFixed(close.closePrice),
  pnl: textFromFixed(close.pnl),
  whole: close.kind !== 'partial',
});
