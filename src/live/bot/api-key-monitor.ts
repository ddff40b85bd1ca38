import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { Reply } from '../../core/request.js';
import type { AccountMessage } from '../../venue/venue.js';
import type { EventSink } from './engine-loop.js';
import { isKeyRefusal, KeyRefusalDetector } from './key-refusal-detector.js';

const ALARM_INTERVAL_MS = 60_000;

export interface ApiKeyMonitorParts {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly loop: EventSink;
  /** Action for a person when the key is refused in mid-run; undefined: a refused key ends the run. */
  readonly keyAdvice: string | undefined;
  /** Error of a run that a refused key ends. `cause`: the venue's text. */
  readonly keyRefusedError: (cause: string) => Error;
}

/**
 * Monitors whether the venue accepts the key. While it does not, the engine places nothing and an alarm
 * is logged each minute, until a poll succeeds. At a start a refused key ends the run.
 */
export class ApiKeyMonitor {
  readonly #parts: ApiKeyMonitorParts;
  readonly #detector = new KeyRefusalDetector();
  #phase: 'starting' | 'running' = 'starting';
  #refused = false;
  /** A successful poll ends a refusal: reads were refused before, or another secret may be in use. */
  #isPollConclusive = false;
  #alarm: Cancel | undefined;

  constructor(parts: ApiKeyMonitorParts) {
    this.#parts = parts;
  }

  onStarted(): void {
    this.#phase = 'running';
  }

  onPolled(message: AccountMessage): void {
    if (message.kind === 'snapshot') {
      this.#observe('read', undefined, '');
      if (this.#refused && this.#isPollConclusive) this.#onAccepted();
      else if (!this.#refused) this.#isPollConclusive = false;
      return;
    }
    if (isKeyRefusal(message.status)) this.#isPollConclusive = true;
    this.#observe('read', message.status, message.cause);
  }

  onReply({ to, outcome }: Reply): void {
    const kind = to.startsWith('read-') || to === 'find-order' ? 'read' : 'change';
    if (outcome.kind === 'yes') {
      this.#observe(kind, undefined, '');
      return;
    }
    // The venue refuses changes by a read-only key, while its polls succeed.
    if (kind === 'read' && isKeyRefusal(outcome.status)) this.#isPollConclusive = true;
    this.#observe(kind, outcome.status, outcome.kind === 'no' ? outcome.text : outcome.cause);
  }

  /** The venue may accept the new secret, or the same one again: the next poll decides. */
  onSecretReloaded(): void {
    this.#isPollConclusive = true;
  }

  close(): void {
    this.#alarm?.();
    this.#alarm = undefined;
  }

  #observe(kind: 'read' | 'change', status: number | undefined, cause: string): void {
    const { loop, keyAdvice, keyRefusedError } = this.#parts;
    const isConfirmed = this.#detector.observe({ kind, status }, this.#phase);
    if (!isConfirmed || this.#refused) return;
    if (keyAdvice === undefined || this.#phase === 'starting') {
      loop.fail(keyRefusedError(cause));
      return;
    }
    this.#refused = true;
    loop.push({ kind: 'access', refused: true, cause: `the venue refuses the key: ${cause}` });
    this.#raiseAlarm(cause, keyAdvice);
  }

  #onAccepted(): void {
    this.#refused = false;
    this.#isPollConclusive = false;
    this.#detector.reset();
    this.close();
    const cause = 'the venue accepts the key';
    this.#parts.logger.info({}, `${cause}: reconciling before anything is placed`);
    this.#parts.loop.push({ kind: 'access', refused: false, cause });
  }

  #raiseAlarm(cause: string, advice: string): void {
    const { logger, scheduler } = this.#parts;
    logger.error({ cause }, `the venue refuses the key, nothing is placed: ${advice}`);
    this.#alarm = scheduler.after(ALARM_INTERVAL_MS, () => {
      this.#raiseAlarm(cause, advice);
    });
  }
}
