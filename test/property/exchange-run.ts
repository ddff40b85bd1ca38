import { expect } from 'vitest';
import type { FeeReport } from '../../src/core/account.js';
import { CURRENCIES, type Currency } from '../../src/core/currency.js';
import {
  isAtMost,
  subtract,
  textFromFixed,
  ZERO,
  type Amount,
  type Price,
  type Ratio,
} from '../../src/core/fixed/fixed.js';
import { DEFAULT_ASSUMPTIONS, type Assumptions } from '../../src/exchange/assumptions.js';
import { simulateCandle } from '../../src/exchange/price/candle-path.js';
import type { ExchangeEvent, SimulatedExchange } from '../../src/exchange/simulated-exchange.js';
import { TargetPicker, partOf } from './target-picker.js';
import { SYMBOLS, type Command, type ExchangeScenario } from './commands.js';
import { same, ReferenceCheck } from './reference-check.js';
import { ExchangeInvariants } from './exchange-invariants.js';
import { createScenarioExchange, fundingRateOf, INTERVAL, rulesOf } from './scenario-exchange.js';
import { scaledOf } from '../support/builders/scaled.js';

/** The exchange's method of each price move. */
const MOVE_METHOD = { jump: 'gapTo', sweep: 'moveThrough' } as const;

/** One run of an exchange, checked by invariants and by the naive ledger. */
export class ExchangeRun {
  readonly #exchange: SimulatedExchange;
  readonly #assumptions: Assumptions;
  readonly #chooser: TargetPicker;
  readonly #referenceCheck: ReferenceCheck;
  readonly #invariants: ExchangeInvariants;
  readonly #onBranch: (branch: string) => void;
  readonly #fundingRate: (symbol: string, settlementMs: number) => Ratio;
  readonly #usedIds = new Set<string>();
  #fills = 0;

  constructor(draw: ExchangeScenario, onBranch: (branch: string) => void) {
    this.#onBranch = onBranch;
    this.#assumptions = { ...DEFAULT_ASSUMPTIONS, ...draw.other };
    this.#fundingRate = fundingRateOf(draw);
    this.#exchange = createScenarioExchange(draw);
    this.#chooser = new TargetPicker(this.#exchange);
    this.#referenceCheck = new ReferenceCheck({
      exchange: this.#exchange,
      rules: rulesOf(this.#assumptions),
      assumptions: this.#assumptions,
      fundingRate: this.#fundingRate,
    });
    this.#invariants = new ExchangeInvariants(
      this.#exchange,
      this.#assumptions,
      this.#referenceCheck.naive,
    );
    this.#exchange.listen((event) => {
      if (event.kind === 'fill') this.#fills += 1;
      onBranch(branchOf(this.#exchange, event));
    });
  }

  step(command: Command): void {
    const before = this.#digest();
    const accepted = this.#execute(command);
    this.#onBranch(`${command.kind} ${accepted ? 'granted' : 'refused'}`);
    // A refused command must not change anything.
    if (!accepted) same(this.#digest(), before);
    const changesPrice = ['jump', 'sweep', 'candle'].includes(command.kind);
    this.#invariants.check(changesPrice && 'symbol' in command ? command.symbol : undefined);
    this.#referenceCheck.compare();
    this.#read();
  }

  /** @returns whether the command was accepted; moves of the market always are */
  #execute(command: Command): boolean {
    const exchange = this.#exchange;
    switch (command.kind) {
      case 'place': {
        const { terms, id, leverage } = command;
        const placed = exchange.place({
          terms,
          ...(id !== undefined && { clientOrderId: id }),
          ...(leverage !== undefined && { leverage }),
        });
        return placed.ok && this.#take(id);
      }
      case 'cancel':
        return exchange.cancel({ orderId: this.#chooser.order(command.order) }).ok;
      case 'refuse':
        return exchange.reject({ orderId: this.#chooser.order(command.order) }, 'no').ok;
      case 'amend':
        return exchange.amend({ orderId: this.#chooser.order(command.order, 'trade') }, command).ok;
      case 'fill-part':
        return this.#fillPart(command);
      case 'protect':
        return this.#protect(command);
      case 'move-protection':
        return this.#moveProtection(command);
      case 'margin':
        return this.#adjustMargin(command);
      case 'close-part':
        return this.#closePart(command);
      case 'close':
      case 'reverse':
        return exchange[command.kind](this.#chooser.positionId(command.position)).ok;
      case 'transfer':
        return this.#transfer(command);
      case 'leverage':
        return exchange.setLeverage(command.symbol, command.currency, command.leverage).ok;
      default:
        this.#applyMarket(command);
        return true;
    }
  }

  /** Commands that are not requests: market, time and administration. */
  #applyMarket(command: Command): void {
    const exchange = this.#exchange;
    switch (command.kind) {
      case 'hedge-rate':
        this.#referenceCheck.naive.setHedgeRate(textFromFixed(command.rate));
        exchange.setHedgeRate(command.rate);
        return;
      case 'lock':
        exchange.setLocked(command.symbol, command.on, command.currency);
        return;
      case 'delisting':
        exchange.setDelisting(command.symbol, command.on);
        return;
      case 'settle':
        exchange.matchPending();
        return;
      case 'time':
        this.#advanceTo(exchange.nowMs + command.advanceMs);
        return;
      case 'to-settlement': {
        const next = (Math.floor(exchange.nowMs / INTERVAL) + 1) * INTERVAL;
        this.#advanceTo(next + command.plusMs);
        return;
      }
      case 'jump':
      case 'sweep':
        exchange[MOVE_METHOD[command.kind]](
          command.symbol,
          command.last,
          command.mark ?? command.last,
        );
        return;
      case 'candle': {
        const [a = 700, b = 700, c = 700, d = 700] = command.ohlc.map((tenths) => tenths / 10);
        const ohlc = { open: a, close: b, high: Math.max(a, b, c, d), low: Math.min(a, b, c, d) };
        simulateCandle(exchange, command.symbol, { last: ohlc }, command.path, () =>
          exchange.matchPending(),
        );
        return;
      }
      default:
        throw new Error(`Unhandled command ${command.kind}`);
    }
  }

  /** Advances the time. Every position that is open throughout pays or receives funding once per settlement. */
  #advanceTo(nowMs: number): void {
    const exchange = this.#exchange;
    const held = this.#chooser.open();
    const rows = (): readonly FeeReport[] =>
      CURRENCIES.flatMap((currency) => exchange.fees(currency)).filter(
        ({ kind }) => kind === 'funding',
      );
    const [rowsBefore, fillsBefore] = [rows().length, this.#fills];
    const lag = this.#assumptions.fundingInstant === 'before-trades' ? 0 : 1;
    const first = Math.floor((exchange.nowMs - lag) / INTERVAL) + 1;
    const last = Math.floor((nowMs - lag) / INTERVAL);
    exchange.setTime(nowMs);
    same(exchange.nowMs, nowMs);
    if (this.#fills > fillsBefore) return;
    const found = rows();
    const instants = found.map(({ symbol, currency, createdAt }) =>
      [symbol, currency, createdAt].join(),
    );
    same(new Set(instants).size, instants.length);
    let certain = 0;
    let possible = 0;
    for (let index = first; index <= last; index += 1) {
      for (const { symbol, initialMargin } of held) {
        if (this.#fundingRate(symbol, index * INTERVAL) === 0) continue;
        possible += 1;
        // A position without margin pays only as far as the balance reaches.
        if (initialMargin > 0) certain += 1;
      }
    }
    const isInsolvent = CURRENCIES.some(
      (currency) => exchange.futuresWallet(currency).balance <= 0,
    );
    const settled = found.length - rowsBefore;
    same(settled >= (isInsolvent ? 0 : certain) && settled <= possible, true);
  }

  #fillPart({ order, part }: Command & { readonly kind: 'fill-part' }): boolean {
    const orderId = this.#chooser.order(order, 'trade');
    const { quantity = ZERO, filledQuantity = ZERO } = this.#exchange.order({ orderId }) ?? {};
    return this.#exchange.fillPart(
      { orderId },
      partOf(scaledOf(subtract(quantity, filledQuantity)), part),
    ).ok;
  }

  #closePart(command: Command & { readonly kind: 'close-part' }): boolean {
    const { type, part, price, id } = command;
    const positionId = this.#chooser.positionId(command.position);
    const held = this.#chooser.open().find((position) => position.positionId === positionId);
    const { ok } = this.#exchange.closePartially(positionId, {
      type,
      quantity: partOf(scaledOf(held?.quantity ?? 0), part),
      ...(price !== undefined && { price }),
      ...(id !== undefined && { clientOrderId: id }),
    });
    return ok && this.#take(id);
  }

  #protect(command: Command & { readonly kind: 'protect' }): boolean {
    const { id } = command;
    const position = this.#chooser.position(command.position);
    const [stopLoss, takeProfit] = this.#chooser.triggers(position, command);
    const ids = id === undefined ? {} : { clientOrderId: id };
    const { ok } = this.#exchange.protect(this.#chooser.positionId(command.position), {
      ...(stopLoss !== undefined && { stopLoss: { price: stopLoss, ...ids } }),
      ...(takeProfit !== undefined && {
        takeProfit: { price: takeProfit, ...(stopLoss === undefined && ids) },
      }),
    });
    const used = stopLoss !== undefined || takeProfit !== undefined;
    return ok && (!used || this.#take(id));
  }

  #moveProtection(command: Command & { readonly kind: 'move-protection' }): boolean {
    const { wrong } = command;
    const position = this.#chooser.position(command.position);
    const [stopLoss, takeProfit] = this.#chooser.triggers(position, command);
    const change = (price: Price | undefined, orderId: string | undefined) =>
      price !== undefined &&
      orderId !== undefined && {
        price,
        order: {
          orderId: wrong ? this.#chooser.order({ among: 'all', nth: scaledOf(price) }) : orderId,
        },
      };
    const stop = change(stopLoss, position?.stopLoss?.orderId);
    const target = change(takeProfit, position?.takeProfit?.orderId);
    return this.#exchange.moveProtection(position?.positionId ?? 'unknown', {
      ...(stop && { stopLoss: stop }),
      ...(target && { takeProfit: target }),
    }).ok;
  }

  #adjustMargin({ position: choice, percent }: Command & { readonly kind: 'margin' }): boolean {
    const position = this.#chooser.position(choice);
    if (position === undefined) {
      return this.#exchange.adjustMargin('unknown', percent as Amount).ok;
    }
    const change = Math.trunc((scaledOf(position.initialMargin) * percent) / 100) as Amount;
    this.#referenceCheck.compareLiquidation(position, change);
    return this.#referenceCheck.adjustMargin(position, change);
  }

  #transfer(command: Command & { readonly kind: 'transfer' }): boolean {
    const { currency, direction } = command;
    const exchange = this.#exchange;
    // Only the free balance can be transferred.
    const source =
      direction === 'deposit'
        ? exchange.spotBalance(currency)
        : exchange.futuresWallet(currency).balance;
    const amount =
      typeof command.amount === 'object'
        ? (Math.trunc((scaledOf(source) * command.amount.tenths) / 10) as Amount)
        : command.amount;
    const result = exchange.transfer(currency, direction, amount);
    same(result.ok, amount > 0 && isAtMost(amount, source));
    if (!result.ok) return false;
    const sign = direction === 'deposit' ? '' : '-';
    this.#referenceCheck.naive.transfer(currency, `${sign}${textFromFixed(amount)}`);
    expect(exchange.transfers(currency)[0]).toEqual(result.value);
    return true;
  }

  /** A client order id is accepted once per account. */
  #take(id: string | undefined): true {
    if (id !== undefined) {
      expect(this.#usedIds.has(id), `${id} was accepted twice`).toBe(false);
      this.#usedIds.add(id);
      expect(this.#exchange.order({ clientOrderId: id })?.clientOrderId).toBe(id);
    }
    return true;
  }

  /** Reads must not change the exchange. */
  #read(): void {
    const before = this.#digest();
    for (const currency of CURRENCIES) {
      this.#exchange.orderHistory(currency);
      this.#exchange.transfers(currency);
    }
    same(this.#exchange.isKnownPosition('unknown'), false);
    same(this.#digest(), before);
  }

  #digest(): unknown {
    const exchange = this.#exchange;
    const of = (currency: Currency): unknown => [
      exchange.spotBalance(currency),
      exchange.futuresWallet(currency),
      exchange.positions(currency),
      exchange.fees(currency).length,
      exchange.transfers(currency).length,
      SYMBOLS.map((symbol) => exchange.leverage(symbol, currency)),
    ];
    const orders = exchange.allOrders();
    const statuses = orders.map(({ status, price, quantity }) => [status, price, quantity]);
    return [CURRENCIES.map(of), statuses];
  }
}

/** The branch of the exchange that an event belongs to. */
function branchOf(exchange: SimulatedExchange, event: ExchangeEvent): string {
  switch (event.kind) {
    case 'close': {
      const { kind, symbol, currency } = event.close;
      const flipped = kind === 'closed' && exchange.quantity(symbol, currency) !== 0;
      return flipped ? 'a flip' : `${kind} in ${currency}`;
    }
    case 'funding': {
      const { amount, currency } = event.fee;
      if (amount < 0) return 'funding received';
      const { balance } = exchange.futuresWallet(currency);
      return balance > 0 ? 'funding paid' : 'funding beyond the balance';
    }
    case 'order':
      return `${event.order.role} ${event.order.status}`;
    case 'fill':
      return event.execution.maker ? 'a fill as maker' : 'a fill as taker';
    case 'position':
      return 'a position changed';
  }
}
