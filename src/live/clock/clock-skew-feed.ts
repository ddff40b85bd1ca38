import type { EngineEventBody } from '../../core/events.js';
import type { Cancel, Clock, Scheduler } from '../../core/ports.js';
import type { VenueClock } from './venue-clock.js';

const INTERVAL_MS = 10_000;
/** The Date header has whole seconds: a smaller distance is not known. */
const RESOLUTION_MS = 1_000;

export interface ClockSkewFeedParts {
  readonly venueClock: Pick<VenueClock, 'now'>;
  readonly clock: Pick<Clock, 'utcMs'>;
  readonly scheduler: Scheduler;
  readonly push: (event: Extract<EngineEventBody, { readonly kind: 'clock-skew' }>) => void;
}

/**
 * Reports the distance of the venue's clock from this machine's (control R37), every 10 s while it is more
 * than the resolution of the Date header, and once when it is not any more. Meaningless for a sandbox,
 * whose clock may run fast.
 */
export class ClockSkewFeed {
  readonly #parts: ClockSkewFeedParts;
  #wasSkewed = false;
  #cancel: Cancel = () => undefined;

  constructor(parts: ClockSkewFeedParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#cancel = this.#parts.scheduler.after(INTERVAL_MS, () => {
      this.#report();
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  #report(): void {
    const { venueClock, clock, push } = this.#parts;
    const skewMs = venueClock.now() - clock.utcMs();
    const isSkewed = Math.abs(skewMs) > RESOLUTION_MS;
    if (isSkewed || this.#wasSkewed) push({ kind: 'clock-skew', skewMs });
    this.#wasSkewed = isSkewed;
  }
}
