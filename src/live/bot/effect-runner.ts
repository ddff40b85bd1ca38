import type { EngineEventBody } from '../../core/events.js';
import type { AppendLog, Cancel, Clock, Logger, Scheduler } from '../../core/ports.js';
import type { Priority, Reply, VenueRequest } from '../../core/request.js';
import type { OutboxParts } from '../../engine/outbox.js';
import type { Note, TimerClock } from '../../execution/effects.js';
import type { Venue } from '../../venue/venue.js';
import { isChange } from '../observe/change-kind.js';
import { assert } from '../../core/assert.js';
import type { VenueClock } from '../clock/venue-clock.js';
import type { StateFolder } from '../state/state-folder.js';

export interface EffectRunnerParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly venueClock: VenueClock;
  readonly state: Pick<StateFolder, 'journal' | 'record' | 'openFallbackJournal'>;
  readonly venue: Pick<Venue, 'tryAcquirePermit' | 'acquirePermit' | 'send'>;
  /** Receives each note beside the log. */
  readonly notice?: ((note: Note) => void) | undefined;
}

/** Receiver of what an effect leads to: the bot. */
export interface EffectReceiver {
  push(event: EngineEventBody): void;
  onReply(requestId: number, reply: Reply): void;
  onJournalFailed(error: unknown): void;
  fail(error: unknown): void;
}

/** Carries out the effects that the outbox releases: requests to the venue, timers, notes. */
export class EffectRunner implements OutboxParts {
  readonly journal: AppendLog;
  readonly eventLog: AppendLog;
  readonly #parts: EffectRunnerParts;
  #receiver: EffectReceiver | undefined;
  #changesSent = 0;

  constructor(parts: EffectRunnerParts) {
    this.#parts = parts;
    this.journal = parts.state.journal;
    this.eventLog = parts.state.record;
  }

  /** Once, before the first effect: the bot is built on the outbox, which needs this runner. */
  connect(receiver: EffectReceiver): void {
    this.#receiver = receiver;
  }

  requestPermit(requestId: number, request: VenueRequest, priority: Priority): void {
    const { venue } = this.#parts;
    const granted = (): void => {
      this.#to.push({ kind: 'slot', requestId });
    };
    // At once where possible: one write then makes the intent and its attempt durable.
    if (venue.tryAcquirePermit(request, priority)) granted();
    else venue.acquirePermit(request, priority).then(granted, this.#fail);
  }

  /** A change has left, or may have: no proof shows that none of its bytes did. */
  get hasSentChange(): boolean {
    return this.#changesSent > 0;
  }

  send(requestId: number, request: VenueRequest): void {
    const changes = isChange(request) ? 1 : 0;
    this.#changesSent += changes;
    this.#parts.venue.send(request).then((reply) => {
      const { outcome } = reply;
      if (outcome.kind === 'unknown' && !outcome.sent) this.#changesSent -= changes;
      this.#to.onReply(requestId, reply);
    }, this.#fail);
  }

  venueNow(): number {
    return this.#parts.venueClock.now();
  }

  onUnsent(requestId: number, reply: Reply): void {
    this.#to.push({ kind: 'reply', requestId, reply });
  }

  timer(kind: TimerClock, at: number, run: () => void): Cancel {
    const { venueClock, scheduler, clock } = this.#parts;
    if (kind === 'venue') return venueClock.after(at, run);
    return scheduler.after(Math.max(0, at - clock.monotonicMs()), run);
  }

  fireTimer(key: string): void {
    this.#to.push({ kind: 'timer', key });
  }

  notify(note: Note): void {
    this.#parts.logger[note.level](note.fields ?? {}, note.text);
    this.#parts.notice?.(note);
  }

  onJournalFailed(error: unknown): void {
    this.#to.onJournalFailed(error);
  }

  openFallbackJournal(error: unknown): Promise<AppendLog | undefined> {
    return this.#parts.state.openFallbackJournal(error);
  }

  readonly #fail = (error: unknown): void => {
    this.#to.fail(error);
  };

  get #to(): EffectReceiver {
    assert(this.#receiver !== undefined, 'The runner is connected before the first effect');
    return this.#receiver;
  }
}
