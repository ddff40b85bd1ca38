/** What a run did, for its summary: "nothing happened" must explain itself. */
export class RunCounts {
  intents = 0;
  refused = 0;
  /** Orders that the venue acknowledged. */
  ordersPlaced = 0;
  /** Orders that were filled in full. */
  ordersFilled = 0;
  rejected = 0;
  dropped = 0;
  fills = 0;
  /** Times that the venue stopped to accept the key. */
  keyRefusals = 0;
  /** Monotonic ms of the first fill that was seen. */
  firstFillAt: number | undefined;
  /** By the venue's reason: how often. */
  readonly rejectedBy = new Map<string, number>();
  /** By control or cause: how often, and the last text. */
  readonly refusedBy = new Map<string, { count: number; lastText: string }>();
  /** Limits that would have refused, under a preset that only records. */
  readonly wouldRefuse = new Map<string, number>();

  reject(reason = 'no reason was told'): void {
    this.rejected += 1;
    this.rejectedBy.set(reason, (this.rejectedBy.get(reason) ?? 0) + 1);
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
