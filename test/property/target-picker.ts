import { CURRENCIES } from '../../src/core/currency.js';
import { add, fixed, ZERO, type Price, type Quantity } from '../../src/core/fixed/fixed.js';
import type {
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../../src/exchange/simulated-exchange.js';
import { SYMBOLS, type Choice, type Part } from './commands.js';

/** Finds the order or position that a command chose by number, at the time of the command. */
export class TargetPicker {
  readonly #exchange: SimulatedExchange;

  constructor(exchange: SimulatedExchange) {
    this.#exchange = exchange;
  }

  /** @param role restricts the choice among live orders */
  order({ among, nth }: Choice, role?: ExchangeOrder['role']): string {
    if (among === 'nothing') return 'unknown';
    const live = CURRENCIES.flatMap((currency) => this.#exchange.openOrders(currency));
    const withRole = live.filter((order) => order.role === (role ?? order.role));
    const orders = among === 'all' ? this.#exchange.allOrders() : withRole;
    return orders[nth % orders.length]?.orderId ?? 'unknown';
  }

  open(): readonly ExchangePosition[] {
    return CURRENCIES.flatMap((currency) => this.#exchange.positions(currency));
  }

  position({ nth }: Choice): ExchangePosition | undefined {
    const open = this.open();
    return open[nth % open.length];
  }

  positionId(choice: Choice): string {
    if (choice.among === 'nothing') return 'unknown';
    if (choice.among === 'live') return this.position(choice)?.positionId ?? 'unknown';
    const closes = CURRENCIES.flatMap((currency) => this.#exchange.positionHistory(currency));
    return closes[choice.nth % closes.length]?.positionId ?? 'unknown';
  }

  /** Prices of stop and target, from steps of 0.1 relative to the last price. */
  triggers(
    position: ExchangePosition | undefined,
    { stopLoss, takeProfit }: { readonly stopLoss?: number; readonly takeProfit?: number },
  ): readonly [Price | undefined, Price | undefined] {
    const last = this.#exchange.prices(position?.symbol ?? SYMBOLS[0])?.last ?? ZERO;
    const sign = position?.side === 'short' ? -1 : 1;
    const at = (steps: number | undefined, direction: number): Price | undefined =>
      steps === undefined ? undefined : add(last, fixed(steps * direction * sign * 10_000_000));
    return [at(stopLoss, -1), at(takeProfit, 1)];
  }
}

export const partOf = (whole: number, part: Part): Quantity =>
  ('tenths' in part
    ? Math.floor((whole * part.tenths) / 1_000_000) * 100_000
    : part.quantity) as Quantity;
