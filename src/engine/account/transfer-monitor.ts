import type { TransferRow } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { add, subtract, textFromFixed, ZERO, type Amount } from '../../core/fixed/fixed.js';
import type { EffectSink } from '../../execution/effects.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import {
  signedAmount,
  transfersExplaining,
  WalletBaseline,
  type WalletTransferState,
} from '../../risk/loss/wallet-baseline.js';

/** Rows of one read of transfers: far more than can appear between two reads. */
const ROWS = 100;
/** Monotonic ms between two reads of transfers. */
const READ_AGAIN_MS = 5_000;
/** Reads without an explaining row after which a change is a profit or loss. */
const DECIDING_READS = 2;
/** Transfers older than the baseline by this, venue ms, are in it. Their times are whole seconds. */
const CREATION_SLACK_MS = 120_000;

export interface TransferMonitorParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly requests: RequestTracker;
  readonly effects: EffectSink;
  /** Transfers are proved. `sum` above 0: deposits. */
  readonly onTransfers: (sum: Amount) => void;
  /** An unexplained change has ended. */
  readonly onExplained: () => void;
}

/**
 * Separates transfers from profit and loss. A change of the wallet that trades do not explain suspends
 * entries until the venue's list of transfers names its transfers. Two reads without one make it a profit
 * or loss: another actor has traded.
 */
export class TransferMonitor {
  readonly #parts: TransferMonitorParts;
  readonly baseline: WalletBaseline;
  /** Recent transfers that the baseline includes: id → venue ms of creation. */
  readonly #known = new Map<string, number>();
  #reads = 0;
  #isReading = false;

  constructor(parts: TransferMonitorParts, state: WalletTransferState, isRecovered: boolean) {
    this.#parts = parts;
    this.baseline = new WalletBaseline(state, isRecovered);
    for (const id of state.transferIds) this.#known.set(id, state.walletAt);
  }

  get state(): WalletTransferState {
    const { state } = this.baseline;
    const since = state.walletAt - CREATION_SLACK_MS;
    const recent = [...this.#known].filter(([, createdAt]) => createdAt >= since);
    return { ...state, transferIds: recent.map(([id]) => id) };
  }

  /** A read of the wallet after which positions were read and agree. @param held notional of positions */
  onWallet(wallet: Amount, readAt: number, held: Amount): void {
    const before = this.baseline.unexplained;
    this.baseline.onWallet(wallet, readAt, held);
    const change = this.baseline.unexplained;
    if (change === undefined) {
      if (before !== undefined) this.#end('it is explained by trades');
      return;
    }
    if (before === undefined) this.#begin(change.amount);
    if (!this.#isReading) this.#read();
  }

  #begin(amount: Amount): void {
    this.#reads = 0;
    const change = `the wallet changed by ${textFromFixed(amount)} ${this.#parts.currency}`;
    // Trades after the last record of a run, and funding while no process ran, are usual.
    const [level, where] = this.baseline.isRecovered
      ? (['info', 'since the last record of the run before'] as const)
      : (['warn', 'and no trade explains it'] as const);
    const text = `${change} ${where}: entries wait for the list of transfers`;
    this.#parts.effects.notify({ level, text });
  }

  #end(text: string): void {
    this.#reads = 0;
    const note = `the change of the wallet is settled: ${text}`;
    this.#parts.effects.notify({ level: 'info', text: note });
    this.#parts.onExplained();
  }

  #read(): void {
    const { currency, requests } = this.#parts;
    this.#isReading = true;
    requests.enqueue<'read-transfers'>({
      request: { kind: 'read-transfers', currency, limit: ROWS },
      priority: 'verify',
      onReply: (outcome) => {
        if (outcome.kind === 'yes') this.#onRows(outcome.value);
        if (this.baseline.unexplained === undefined) this.#isReading = false;
        else requests.after(READ_AGAIN_MS, () => this.#readAgain());
      },
    });
  }

  #readAgain(): void {
    this.#isReading = false;
    if (this.baseline.unexplained !== undefined) this.#read();
  }

  #onRows(rows: readonly TransferRow[]): void {
    const change = this.baseline.unexplained;
    if (change === undefined) return;
    this.#reads += 1;
    const oldest = this.baseline.state.walletAt - CREATION_SLACK_MS;
    const fresh = rows.filter((row) => row.createdAt >= oldest && !this.#known.has(row.id));
    const transfers = transfersExplaining(change.amount, fresh);
    const sum = transfers.reduce<Amount>((so, row) => add(so, signedAmount(row)), ZERO as Amount);
    const rest = subtract(change.amount, sum);
    if (!this.baseline.explains(rest) && this.#reads < DECIDING_READS) return;
    for (const row of fresh) this.#known.set(row.id, row.createdAt);
    if (sum !== 0) this.#parts.onTransfers(sum);
    this.baseline.accept(change.wallet, this.#parts.stamp.venueTime);
    this.#end(resultText(transfers, rest, this.#parts.currency));
  }
}

function resultText(transfers: readonly TransferRow[], rest: Amount, currency: Currency): string {
  const names = transfers.map(
    (row) => `${row.direction} of ${textFromFixed(row.amount)} ${currency} (${row.id})`,
  );
  const others = `${textFromFixed(rest)} ${currency} is profit or loss`;
  if (names.length === 0) return `no transfer shows, so that ${others}`;
  return rest === 0 ? names.join(', ') : `${names.join(', ')}; ${others}`;
}
