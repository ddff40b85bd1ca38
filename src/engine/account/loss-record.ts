import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { isGreater, subtract, times, ZERO, type Amount } from '../../core/fixed/fixed.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { RecoveredLosses } from '../../execution/recovery/recovered-losses.js';
import type { LossCounters, LossLedger } from '../../risk/loss/loss-ledger.js';
import type { WalletTransferState } from '../../risk/loss/wallet-baseline.js';

/** Monotonic ms between two records of a rising high water, or of another wallet. */
const SAVE_EVERY_MS = 60_000;
/** A record of the high water needs a rise by one part of this many. */
const HIGH_WATER_PARTS = 1_000;

export interface LossRecordParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly journal: Journal;
  /** The run ends as planned. */
  readonly isStopping: () => boolean;
}

/** The journal's record of the losses, which the next run begins with. */
export class LossRecord {
  readonly #parts: LossRecordParts;
  #savedAt = Number.NEGATIVE_INFINITY;
  #highWater: Amount;
  #wallet: Amount | undefined;

  /** @param recovered record of a previous run */
  constructor(parts: LossRecordParts, recovered: RecoveredLosses | undefined) {
    this.#parts = parts;
    this.#highWater = recovered?.counters.highWater ?? (ZERO as Amount);
    this.#wallet = recovered?.transfers.wallet;
  }

  save(counters: LossCounters, transfers: WalletTransferState): void {
    const { journal, stamp, currency } = this.#parts;
    this.#savedAt = stamp.monotonic;
    this.#highWater = counters.highWater;
    this.#wallet = transfers.wallet;
    journal.losses(currency, counters, transfers);
  }

  /**
   * A rise of the high water can wait, and so can a wallet that trades explain: orders and fills have journal records of
   * their own. The start after a planned stop needs no list of transfers.
   */
  saveIfDue(ledger: LossLedger, transfers: WalletTransferState): void {
    const { stamp, isStopping } = this.#parts;
    const isOtherWallet = transfers.wallet !== this.#wallet;
    const isDue = stamp.monotonic - this.#savedAt >= SAVE_EVERY_MS;
    const isOtherHighWater = ledger.highWater !== this.#highWater;
    const saves = isStopping()
      ? isOtherWallet || isOtherHighWater
      : isDue && (isOtherWallet || this.#isRisen(ledger.highWater));
    if (saves) this.save(ledger.counters, transfers);
  }

  #isRisen(highWater: Amount): boolean {
    const rise = subtract(highWater, this.#highWater);
    return isGreater(times(rise, HIGH_WATER_PARTS), this.#highWater);
  }
}
