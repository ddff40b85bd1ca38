import type { WalletReport } from '../../core/account.js';
import { add, larger, smaller, subtract, type Amount } from '../../core/fixed/fixed.js';
import type { WalletBaseline } from '../../risk/loss/wallet-baseline.js';
import type { AccountEquity } from './account-equity.js';

export interface LossEquityParts {
  readonly equity: Pick<AccountEquity, 'unrealised'>;
  /** The newest read of the wallet. */
  readonly wallet: () => WalletReport | undefined;
  /** Positions and wallet of the account are known. */
  readonly isReady: () => boolean;
}

/** The least and the most that an equity may be. */
export interface EquityRange {
  readonly lowest: Amount;
  readonly highest: Amount;
}

/** The equity by which losses are measured: the wallet as explained, plus unrealised PnL, in the wallet's currency. */
export class LossEquity {
  readonly #parts: LossEquityParts;
  /** Absent before the first reading of the wallet, of this run or a previous one. */
  baseline: WalletBaseline | undefined;

  constructor(parts: LossEquityParts) {
    this.#parts = parts;
  }

  /** Balance and locked margin as read last. */
  get wallet(): Amount | undefined {
    const report = this.#parts.wallet();
    return report === undefined ? undefined : add(report.balance, report.locked);
  }

  /** No read of the wallet has been explained since the last record of the run before. */
  get isRecovered(): boolean {
    return this.baseline?.isRecovered === true;
  }

  /** undefined while a price is not known, or the wallet is not explained. */
  get explained(): Amount | undefined {
    const { baseline } = this;
    if (baseline === undefined || baseline.isRecovered) return undefined;
    const unrealised = this.#parts.equity.unrealised();
    return unrealised === undefined ? undefined : add(baseline.cash, unrealised);
  }

  /**
   * Until the list of transfers has decided on a recovered baseline: its end of the range takes the change of the wallet
   * for a transfer, the newest read takes it for trades.
   */
  get range(): EquityRange | undefined {
    // A position may have been closed while no process ran.
    if (!this.#parts.isReady()) return undefined;
    const unrealised = this.#parts.equity.unrealised();
    const { wallet } = this;
    const cash = this.baseline?.cash;
    if (unrealised === undefined || wallet === undefined || cash === undefined) return undefined;
    return {
      lowest: add(smaller(cash, wallet), unrealised),
      highest: add(larger(cash, wallet), unrealised),
    };
  }

  /** The equity without transfers that were just proved. @param sum above 0: deposits */
  before(sum: Amount): Amount | undefined {
    const unexplained = this.baseline?.unexplained;
    if (!this.isRecovered || unexplained === undefined) return this.explained;
    const unrealised = this.#parts.equity.unrealised();
    return unrealised === undefined
      ? undefined
      : add(subtract(unexplained.wallet, sum), unrealised);
  }
}
