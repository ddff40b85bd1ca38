/** The venue's reasons that are counted apart: one may have a price in its text. */
const MAX_REASONS = 100;
const OTHER_REASONS = 'other reasons';

/** Counts of a run for its summary, which must explain a run without trades too. */
export class RunCounts {
  intents = 0;
  refused = 0;
  /** Orders that the venue acknowledged. */
  ordersPlaced = 0;
  /** Orders filled in full. */
  ordersFilled = 0;
  rejected = 0;
  dropped = 0;
  /** Entries that left without a stop loss, where R17 warns. */
  entriesWithoutStop = 0;
  /** Strategies that a control stopped, with the control (R08, R39). */
  readonly stoppedBy = new Map<string, string>();
  fills = 0;
  /** Number of times that the venue started to refuse the key. */
  keyRefusals = 0;
  /** Monotonic ms of the first fill. */
  firstFillAt: number | undefined;
  /** Count by the venue's reason. */
  readonly rejectedBy = new Map<string, number>();
  /** Count and last text by control or cause. */
  readonly refusedBy = new Map<string, { count: number; lastText: string }>();
  /** Limits that would have refused, under a preset that only records. */
  readonly wouldRefuse = new Map<string, number>();

  reject(reason = 'no reason was given'): void {
    this.rejected += 1;
    const isCounted = this.rejectedBy.has(reason) || this.rejectedBy.size < MAX_REASONS;
    const key = isCounted ? reason : OTHER_REASONS;
    this.rejectedBy.set(key, (this.rejectedBy.get(key) ?? 0) + 1);
  }

  refuse(control: string, text: string): void {
    this.refused += 1;
    const entry = this.refusedBy.get(control);
    if (entry === undefined) this.refusedBy.set(control, { count: 1, lastText: text });
    else {
      entry.count += 1;
      entry.lastText = text;
    }
  }
}
