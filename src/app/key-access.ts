import type { Happening } from '../core/events.js';
import type { Cancel, Logger, Scheduler } from '../core/ports.js';
import type { Reply } from '../core/request.js';
import type { AccountMessage } from '../venue/venue.js';
import { isKeyRefusal, KeyWatch } from './key-watch.js';

const ALARM_EVERY_MS = 60_000;

export interface KeyAccessParts {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly push: (happening: Happening) => void;
  /** What a person must do about a refused key. */
  readonly advice: string;
  readonly phase: () => 'starting' | 'running';
  /** Whether a run waits for another key; a person's own session does not, nor does any start. */
  readonly waits: boolean;
  /** Refused where nobody waits. */
  readonly end: (cause: string) => void;
}

/**
 * Follows whether the venue accepts the key. Where it does not, the engine is told and an alarm goes
 * round each minute, until a poll succeeds.
 */
export class KeyAccess {
  readonly #parts: KeyAccessParts;
  readonly #watch = new KeyWatch();
  #refused = false;
  /** A poll that succeeds is news: reads were refused, or another secret may be in use. */
  #pollTells = false;
  #alarm: Cancel | undefined;

  constructor(parts: KeyAccessParts) {
    this.#parts = parts;
  }

  polled(message: AccountMessage): void {
    if (message.kind === 'snapshot') {
      this.#see('read', undefined, '');
      if (this.#refused && this.#pollTells) this.#accepted();
      else if (!this.#refused) this.#pollTells = false;
      return;
    }
    if (isKeyRefusal(message.status)) this.#pollTells = true;
    this.#see('read', message.status, message.cause);
  }

  answered({ to, outcome }: Reply): void {
    const kind = to.startsWith('read-') || to === 'find-order' ? 'read' : 'change';
    if (outcome.kind === 'yes') {
      this.#see(kind, undefined, '');
      return;
    }
    // A key for reading alone is refused for changes, and its polls go on succeeding.
    if (kind === 'read' && isKeyRefusal(outcome.status)) this.#pollTells = true;
    this.#see(kind, outcome.status, outcome.kind === 'no' ? outcome.text : outcome.cause);
  }

  /** Another secret may be in use, or the same one may be good again: the next poll decides. */
  secretRead(): void {
    this.#pollTells = true;
  }

  close(): void {
    this.#alarm?.();
    this.#alarm = undefined;
  }

  #see(kind: 'read' | 'change', status: number | undefined, cause: string): void {
    const { waits, end } = this.#parts;
    const phase = this.#parts.phase();
    const believed = this.#watch.see({ kind, status }, phase);
    if (!believed || this.#refused) return;
    if (!waits || phase === 'starting') {
      end(cause);
      return;
    }
    this.#refused = true;
    this.#parts.push({
      kind: 'access',
      refused: true,
      cause: `the venue refuses the key: ${cause}`,
    });
    this.#sound(cause);
  }

  #accepted(): void {
    this.#refused = false;
    this.#pollTells = false;
    this.#watch.forget();
    this.close();
    const cause = 'the venue accepts the key';
    this.#parts.logger.info({}, `${cause}: reconciling before anything is placed`);
    this.#parts.push({ kind: 'access', refused: false, cause });
  }

  #sound(cause: string): void {
    const { logger, scheduler, advice } = this.#parts;
    logger.error({ cause }, `the venue refuses the key, nothing is placed: ${advice}`);
    this.#alarm = scheduler.after(ALARM_EVERY_MS, () => {
      this.#sound(cause);
    });
  }
}
