import { CURRENCIES } from '../../src/core/currency.js';
import { add, fixed, ZERO, type Price, type Quantity } from '../../src/core/fixed.js';
import type {
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../../src/exchange/simulated-exchange.js';
import { SYMBOLS, type Choice, type Part } from './commands.js';

/** Finds what a command chose by number among what is there when it is asked. */
export class Chooser {
  readonly #exchange: SimulatedExchange;

  constructor(exchange: SimulatedExchange) {
    this.#exchange = exchange;
  }

  /** Of the live ones, orders of a role rather than any. */
  order({ among, nth }: Choice, role?: ExchangeOrder['role']): string {
    if (among === 'nothing') return 'nobody';
    const live = CURRENCIES.flatMap((currency) => this.#exchange.openOrders(currency));
    const wanted = live.filter((order) => order.role === (role ?? order.role));
    const orders = among === 'all' ? this.#exchange.allOrders() : wanted;
    return orders[nth % orders.length]?.orderId ?? 'nobody';
  }

  open(): readonly ExchangePosition[] {
    return CURRENCIES.flatMap((currency) => this.#exchange.positions(currency));
  }

  position({ nth }: Choice): ExchangePosition | undefined {
    const open = this.open();
    return open[nth % open.length];
  }

  positionId(choice: Choice): string {
    if (choice.among === 'nothing') return 'nobody';
    if (choice.among === 'live') return this.position(choice)?.positionId ?? 'nobody';
    const closes = CURRENCIES.flatMap((currency) => this.#exchange.positionHistory(currency));
    return closes[choice.nth % closes.length]?.positionId ?? 'nobody';
  }

  /** Stop and target as prices, from steps away from the last one. */
  triggers(
    position: ExchangePosition | undefined,
    { stopLoss, takeProfit }: { readonly stopLoss?: number; readonly takeProfit?: number },
  ): readonly [Price | undefined, Price | undefined] {
    const last = this.#exchange.prices(position?.symbol ?? SYMBOLS[0])?.last ?? ZERO;
    const sign = position?.side === 'short' ? -1 : 1;
    const at = (steps: number | undefined, way: number): Price | undefined =>
      steps === undefined ? undefined : add(last, fixed(steps * way * sign * 10_000_000));
    return [at(stopLoss, -1), at(takeProfit, 1)];
  }
}

export const partOf = (whole: number, part: Part): Quantity =>
  ('tenths' in part
    ? Math.floor((whole * part.tenths) / 1_000_000) * 100_000
    : part.quantity) as Quantity;
