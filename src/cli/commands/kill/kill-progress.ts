import { countText } from '../../../core/terminal-text.js';
import type { StatusReport } from '../../../live/status/status-report.js';
import type { Io } from '../../command-io.js';

/** Real ms between two lines. */
const INTERVAL_MS = 2_000;

/** Lines on standard error while a kill is under way. */
export class KillProgress {
  readonly #io: Pick<Io, 'clock' | 'stderr'>;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(io: Pick<Io, 'clock' | 'stderr'>) {
    this.#io = io;
  }

  /** At most one line every two seconds. */
  show({
    positions,
    orders,
    unknown,
  }: Pick<StatusReport, 'positions' | 'orders' | 'unknown'>): void {
    const { clock, stderr } = this.#io;
    const now = clock.monotonicMs();
    if (now - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = now;
    const open = positions.filter(({ own }) => Number(own) !== 0);
    const names = open.map(({ own, symbol }) => `${own} ${symbol}`).join(', ');
    stderr(
      `sluice: kill: ${countText(open.length, 'position')}${names === '' ? '' : ` (${names})`} and ${countText(orders.length, 'order')} open, ${unknown} unknown\n`,
    );
  }
}
