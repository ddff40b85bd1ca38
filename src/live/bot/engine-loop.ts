import type { EngineEvent, EngineEventBody } from '../../core/events.js';
import type { Clock } from '../../core/ports.js';
import type { Engine } from '../../engine/engine.js';
import { Inbox } from '../../engine/inbox.js';
import type { Outbox } from '../../engine/outbox.js';
import type { Recorder } from '../../engine/recorder.js';
import { LogWriteError } from '../../io/log/log-write-error.js';
import type { VenueClock } from '../clock/venue-clock.js';

/** The loop as its sources see it: feeds, replies and monitors. */
export interface EventSink {
  push(event: EngineEventBody): void;
  /** Ends the run. */
  fail(error: unknown): void;
}

export interface EngineLoopParts {
  readonly engine: Engine;
  readonly outbox: Outbox;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly venueClock: VenueClock;
}

/**
 * The event loop around the engine: stamps each event with both clocks, records it, lets the engine take
 * one step and flushes the effects. The first failure of a run stays its cause.
 */
export class EngineLoop implements EventSink {
  readonly #parts: EngineLoopParts;
  readonly #inbox: Inbox;
  readonly #onHalt: (() => void)[] = [];
  #failure: Error | undefined;
  #rejectFailed: ((error: Error) => void) | undefined;
  #isStopped = false;
  #hasJournalFailed = false;

  constructor(parts: EngineLoopParts) {
    this.#parts = parts;
    this.#inbox = new Inbox(
      (event) => {
        this.#record(event);
        parts.engine.handle(event);
      },
      () => {
        parts.outbox.flush();
        this.#notifyHalted();
      },
    );
  }

  push(event: EngineEventBody): void {
    try {
      this.#inbox.push({
        ...event,
        venueTime: this.#parts.venueClock.now(),
        monotonic: this.#parts.clock.monotonicMs(),
      });
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    this.close();
    this.#isStopped = true;
    this.#setFailure(error);
  }

  /**
   * From now on nothing is placed and events are not recorded. The engine still takes steps, so that
   * `stop` can cancel resting orders; the results go to the journal's reserved space.
   */
  onJournalFailed(error: unknown): void {
    this.#hasJournalFailed = true;
    this.push({ kind: 'journal-failed', reason: String(error) });
    this.#setFailure(error);
  }

  /** The engine takes no more steps. */
  close(): void {
    this.#inbox.close();
  }

  /** The run has failed: the engine takes no more steps. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The journal failed; cancels are still allowed. */
  get isCancelOnly(): boolean {
    return this.#hasJournalFailed && !this.#isStopped;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Rejects once, never resolves. Of several promises only the last one rejects. */
  get failed(): Promise<never> {
    return new Promise((_, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      this.#rejectFailed = reject;
    });
  }

  /** Resolves when the engine has halted: it places no more orders. */
  get halted(): Promise<void> {
    return new Promise((resolve) => {
      this.#onHalt.push(resolve);
      this.#notifyHalted();
    });
  }

  /** The halt of a failed journal is reported as the failure alone. */
  #notifyHalted(): void {
    if (this.#parts.engine.haltReason === undefined || this.#hasJournalFailed) return;
    for (const resolve of this.#onHalt.splice(0)) resolve();
  }

  #record(event: EngineEvent): void {
    if (this.#hasJournalFailed) return;
    try {
      this.#parts.recorder.write(event);
    } catch (error) {
      if (!(error instanceof LogWriteError)) throw error;
      this.#parts.outbox.onEventLogFailed(error);
    }
  }

  #setFailure(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error instanceof Error ? error : new Error(String(error));
    this.#rejectFailed?.(this.#failure);
  }
}
