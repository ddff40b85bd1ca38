import { expect } from 'vitest';
import { CURRENCIES, type Currency } from '../../src/core/currency.js';
import {
  isAtMost,
  subtract,
  textFromFixed,
  ZERO,
  type Amount,
  type Price,
  type Ratio,
} from '../../src/core/fixed.js';
import { DEFAULT_ASSUMPTIONS, type Assumptions } from '../../src/exchange/assumptions.js';
import { walkCandle } from '../../src/exchange/candle-path.js';
import type { ExchangeEvent, SimulatedExchange } from '../../src/exchange/simulated-exchange.js';
import { Chooser, partOf } from './chooser.js';
import { SYMBOLS, type Command, type World } from './commands.js';
import { same, Shadow } from './shadow.js';
import { Watch } from './watch.js';
import { createWorldExchange, fundingRateOf, INTERVAL, rulesOf } from './world-exchange.js';
import { scaledOf } from '../harness/scaled.js';

/** One life of an exchange, watched and shadowed. */
export class ExchangeLife {
  readonly #exchange: SimulatedExchange;
  readonly #assumptions: Assumptions;
  readonly #chooser: Chooser;
  readonly #shadow: Shadow;
  readonly #watch: Watch;
  readonly #saw: (sight: string) => void;
  readonly #fundingRate: (symbol: string, settlementMs: number) => Ratio;
  readonly #taken = new Set<string>();
  #fills = 0;

  constructor(draw: World, saw: (sight: string) => void) {
    this.#saw = saw;
    this.#assumptions = { ...DEFAULT_ASSUMPTIONS, ...draw.other };
    this.#fundingRate = fundingRateOf(draw);
    this.#exchange = createWorldExchange(draw);
    this.#chooser = new Chooser(this.#exchange);
    this.#shadow = new Shadow({
      exchange: this.#exchange,
      rules: rulesOf(this.#assumptions),
      assumptions: this.#assumptions,
      fundingRate: this.#fundingRate,
    });
    this.#watch = new Watch(this.#exchange, this.#assumptions, this.#shadow.naive);
    this.#exchange.listen((event) => {
      if (event.kind === 'fill') this.#fills += 1;
      saw(sightOf(this.#exchange, event));
    });
  }

  step(command: Command): void {
    const before = this.#digest();
    const accepted = this.#obey(command);
    this.#saw(`${command.kind} ${accepted ? 'granted' : 'refused'}`);
    // Refused without a trace.
    if (!accepted) same(this.#digest(), before);
    const tellsPrice = ['jump', 'sweep', 'candle'].includes(command.kind);
    this.#watch.check(tellsPrice && 'symbol' in command ? command.symbol : undefined);
    this.#shadow.compare();
    this.#read();
  }

  /** Whether it was granted; what cannot be refused always is. */
  #obey(command: Command): boolean {
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
        return exchange.refuse({ orderId: this.#chooser.order(command.order) }, 'no').ok;
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
        this.#happen(command);
        return true;
    }
  }

  /** What is not asked but told. */
  #happen(command: Command): void {
    const exchange = this.#exchange;
    switch (command.kind) {
      case 'hedge-rate':
        this.#shadow.naive.setHedgeRate(textFromFixed(command.rate));
        exchange.setHedgeRate(command.rate);
        return;
      case 'lock':
        exchange.setLocked(command.symbol, command.on, command.currency);
        return;
      case 'delisting':
        exchange.setDelisting(command.symbol, command.on);
        return;
      case 'settle':
        exchange.settle();
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
        exchange[command.kind](command.symbol, command.last, command.mark ?? command.last);
        return;
      case 'candle': {
        const [a = 700, b = 700, c = 700, d = 700] = command.ohlc.map((tenths) => tenths / 10);
        const ohlc = { open: a, close: b, high: Math.max(a, b, c, d), low: Math.min(a, b, c, d) };
        walkCandle(exchange, command.symbol, ohlc, command.path, () => exchange.settle());
        return;
      }
      default:
        throw new Error(`Nobody obeys ${command.kind}`);
    }
  }

  /** Every position that is there all the way exchanges funding once a settlement. */
  #advanceTo(nowMs: number): void {
    const exchange = this.#exchange;
    const held = this.#chooser.open();
    const rows = (): number =>
      CURRENCIES.flatMap((currency) => exchange.fees(currency)).filter(
        ({ kind }) => kind === 'funding',
      ).length;
    const [rowsBefore, fillsBefore] = [rows(), this.#fills];
    const lag = this.#assumptions.fundingInstant === 'before-trades' ? 0 : 1;
    const first = Math.floor((exchange.nowMs - lag) / INTERVAL) + 1;
    const last = Math.floor((nowMs - lag) / INTERVAL);
    exchange.setTime(nowMs);
    same(exchange.nowMs, nowMs);
    if (this.#fills > fillsBefore) return;
    let expected = 0;
    for (let index = first; index <= last; index += 1) {
      for (const { symbol, initialMargin } of held) {
        const exchanged = this.#fundingRate(symbol, index * INTERVAL) !== 0 && initialMargin > 0;
        if (exchanged) expected += 1;
      }
    }
    // A position without margin left pays only while there is a balance: seldom, and not counted here.
    const broke = CURRENCIES.some((currency) => exchange.futuresWallet(currency).balance <= 0);
    if (!broke) same(rows() - rowsBefore, expected);
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
    return this.#exchange.moveProtection(position?.positionId ?? 'nobody', {
      ...(stop && { stopLoss: stop }),
      ...(target && { takeProfit: target }),
    }).ok;
  }

  #adjustMargin({ position: choice, percent }: Command & { readonly kind: 'margin' }): boolean {
    const position = this.#chooser.position(choice);
    if (position === undefined) {
      return this.#exchange.adjustMargin('nobody', percent as Amount).ok;
    }
    const change = Math.trunc((scaledOf(position.initialMargin) * percent) / 100) as Amount;
    this.#shadow.compareLiquidation(position, change);
    return this.#shadow.adjustMargin(position, change);
  }

  #transfer(command: Command & { readonly kind: 'transfer' }): boolean {
    const { currency, direction } = command;
    const exchange = this.#exchange;
    // Only what is free can leave.
    const source =
      direction === 'deposit'
        ? exchange.spotBalance(currency)
        : exchange.futuresWallet(currency).balance;
    const amount =
      typeof command.amount === 'object'
        ? (Math.trunc((scaledOf(source) * command.amount.tenths) / 10) as Amount)
        : command.amount;
    const answer = exchange.transfer(currency, direction, amount);
    same(answer.ok, amount > 0 && isAtMost(amount, source));
    if (!answer.ok) return false;
    const sign = direction === 'deposit' ? '' : '-';
    this.#shadow.naive.transfer(currency, `${sign}${textFromFixed(amount)}`);
    expect(exchange.transfers(currency)[0]).toEqual(answer.value);
    return true;
  }

  /** An id is accepted once in the life of an account. */
  #take(id: string | undefined): true {
    if (id !== undefined) {
      expect(this.#taken.has(id), `${id} was accepted twice`).toBe(false);
      this.#taken.add(id);
      expect(this.#exchange.order({ clientOrderId: id })?.clientOrderId).toBe(id);
    }
    return true;
  }

  /** Reads must not change anything, whatever they are asked for. */
  #read(): void {
    const before = this.#digest();
    for (const currency of CURRENCIES) {
      this.#exchange.orderHistory(currency);
      this.#exchange.transfers(currency);
    }
    same(this.#exchange.knowsPosition('nobody'), false);
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

/** What happened, in words. */
function sightOf(exchange: SimulatedExchange, event: ExchangeEvent): string {
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
