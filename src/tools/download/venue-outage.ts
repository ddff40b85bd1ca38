import { StartError } from '../../core/command-errors.js';
import type { Clock } from '../../core/ports.js';

export interface VenueOutageOptions {
  readonly clock: Clock;
  /** A line for people. */
  readonly onNote: (text: string) => void;
  /** The command that goes on later. */
  readonly resumeCommand: string;
}

/** A venue that is down for longer is no matter of minutes: a person decides. */
export const PATIENCE_MS = 30 * 60_000;
const NOTE_EVERY_MS = 60_000;

/** The time without any success at the venue: notes about it, and the end of the patience. */
export class VenueOutage {
  readonly #options: VenueOutageOptions;
  #sinceMs: number | undefined;
  #notedMs = 0;

  constructor(options: VenueOutageOptions) {
    this.#options = options;
  }

  /**
   * A call failed and is repeated after `waitMs`.
   * @throws StartError with the command that goes on, after 30 minutes without a success
   */
  failed(cause: string, waitMs: number): void {
    const { clock, onNote, resumeCommand } = this.#options;
    const now = clock.monotonicMs();
    const next = `${Math.ceil(waitMs / 1_000)} s`;
    if (this.#sinceMs === undefined) {
      [this.#sinceMs, this.#notedMs] = [now, now];
      onNote(
        `${cause}; the download waits and tries again, first in ${next}; Ctrl-C keeps what it has`,
      );
      return;
    }
    const downMs = now - this.#sinceMs;
    if (downMs >= PATIENCE_MS)
      throw new StartError(
        `no candles of the venue for ${minutesText(downMs)} (${cause}); what arrived is in the catalogue; go on later: ${resumeCommand}`,
      );
    if (now - this.#notedMs < NOTE_EVERY_MS) return;
    this.#notedMs = now;
    onNote(
      `${cause}, for ${minutesText(downMs)} now; the next try is in ${next}, the last after ${minutesText(PATIENCE_MS)}`,
    );
  }

  /** A call succeeded. */
  ended(): void {
    if (this.#sinceMs === undefined) return;
    const seconds = Math.round((this.#options.clock.monotonicMs() - this.#sinceMs) / 1_000);
    this.#sinceMs = undefined;
    this.#options.onNote(`the venue answers again after ${seconds} s; the download goes on`);
  }
}

const minutesText = (ms: number): string => `${Math.floor(ms / 60_000)} min`;
