import type { WalletReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import type { OrderReport } from '../core/order.js';

const NEVER = Number.NEGATIVE_INFINITY;

/** What was last read of the account in one currency, and when that read began (monotonic ms). */
interface CurrencyView {
  wallet: WalletReport | undefined;
  walletAt: number;
  positionsAt: number;
  ordersAt: number;
  openOrders: readonly OrderReport[];
}

/** The newest snapshot of each kind; an older one that arrives late is ignored (hazard G4). */
export class AccountView {
  readonly #views = new Map<Currency, CurrencyView>();

  /** @returns whether the snapshot is the newest of its kind */
  seeWallet(wallet: WalletReport, startedAt: number): boolean {
    const view = this.of(wallet.currency);
    if (startedAt < view.walletAt) return false;
    view.wallet = wallet;
    view.walletAt = startedAt;
    return true;
  }

  seePositions(currency: Currency, startedAt: number): boolean {
    const view = this.of(currency);
    if (startedAt < view.positionsAt) return false;
    view.positionsAt = startedAt;
    return true;
  }

  seeOrders(currency: Currency, orders: readonly OrderReport[], startedAt: number): boolean {
    const view = this.of(currency);
    if (startedAt < view.ordersAt) return false;
    view.openOrders = orders;
    view.ordersAt = startedAt;
    return true;
  }

  /** The venue behind the engine is the account itself: everything is as new as this moment. */
  seenAll(currency: Currency, monotonic: number): void {
    const view = this.of(currency);
    view.walletAt = monotonic;
    view.positionsAt = monotonic;
    view.ordersAt = monotonic;
  }

  of(currency: Currency): CurrencyView {
    let view = this.#views.get(currency);
    if (view === undefined) {
      view = {
        wallet: undefined,
        walletAt: NEVER,
        positionsAt: NEVER,
        ordersAt: NEVER,
        openOrders: [],
      };
      this.#views.set(currency, view);
    }
    return view;
  }

  /** Whether every kind was read, by a read that began after `since`. */
  complete(currency: Currency, since = NEVER): boolean {
    return this.oldest(currency) > since;
  }

  /** When the oldest of the three reads began. */
  oldest(currency: Currency): number {
    const view = this.of(currency);
    return Math.min(view.walletAt, view.positionsAt, view.ordersAt);
  }
}
