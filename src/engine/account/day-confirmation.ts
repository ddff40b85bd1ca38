/**
 * Two reads of the wallet must show a later venue day before it counts: one wrong time of the venue opens no new
 * budget. A time that steps back never does.
 */
export class DayConfirmation {
  #shown: { readonly day: number; readonly startedAt: number } | undefined;

  /**
   * @param day venue day that a read shows, ms UTC of its start
   * @param counted the day that counts so far
   * @param startedAt start of the read, monotonic ms
   * @returns whether an earlier read showed the same later day
   */
  confirms(day: number, counted: number, startedAt: number): boolean {
    const before = this.#shown;
    this.#shown = day > counted ? { day, startedAt } : undefined;
    return before?.day === day && startedAt > before.startedAt;
  }
}
