import type { WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { OrderReport } from '../../core/order.js';

const NEVER = Number.NEGATIVE_INFINITY;

/** The last reads of the account in one currency, with the monotonic ms at which each began. */
interface CurrencyView {
  wallet: WalletReport | undefined;
  walletAt: number;
  positionsAt: number;
  ordersAt: number;
  openOrders: readonly OrderReport[];
}

/** The newest snapshot of each kind; a late older one is ignored (hazard G4). */
export class AccountView {
  readonly #views = new Map<Currency, CurrencyView>();
  /** The view of `#currentOf`, which a backtest marks at each candle. */
  #current: CurrencyView | undefined;
  #currentOf: Currency | undefined;

  /** @returns whether the snapshot is the newest of its kind */
  updateWallet(wallet: WalletReport, startedAt: number): boolean {
    const view = this.of(wallet.currency);
    if (startedAt < view.walletAt) return false;
    view.wallet = wallet;
    view.walletAt = startedAt;
    return true;
  }

  updatePositions(currency: Currency, startedAt: number): boolean {
    const view = this.of(currency);
    if (startedAt < view.positionsAt) return false;
    view.positionsAt = startedAt;
    return true;
  }

  updateOpenOrders(currency: Currency, orders: readonly OrderReport[], startedAt: number): boolean {
    const view = this.of(currency);
    if (startedAt < view.ordersAt) return false;
    view.openOrders = orders;
    view.ordersAt = startedAt;
    return true;
  }

  /** The venue behind the engine is the account itself: all reads are current. */
  markAllCurrent(currency: Currency, monotonic: number): void {
    if (this.#current === undefined || this.#currentOf !== currency) {
      this.#current = this.of(currency);
      this.#currentOf = currency;
    }
    const view = this.#current;
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
}
