import { ALERT_LEVELS, type AlertLevel } from '../../notify/alert/alert-kind.js';
import type { Cancel, Clock, Logger, Scheduler } from '../../core/ports.js';
import type { Note } from '../../execution/effects.js';
import { alertConditions } from '../../notify/alert/alert-conditions.js';
import type { AlertFacts } from '../../notify/alert/alert-facts.js';
import type { ChannelQueue } from '../../notify/channel/channel-queue.js';
import type { DeadMan } from '../../notify/channel/dead-man.js';
import type { Notice } from '../../notify/alert/notice.js';
import type { Notifier, AlertEvent } from '../../notify/notifier.js';
import type { ChatActions } from '../../notify/telegram/telegram-dialogue.js';
import type { PageTimesFile } from './page-times-file.js';

/** Real ms between two steps. */
const STEP_MS = 1_000;
/** Real ms that the end of a run waits for its last notices. */
const LAST_NOTICES_MS = 5_000;

/** The bot, as the alerts see it. */
export interface NotifySource {
  facts(): AlertFacts;
  /** Lines of the daily summary. */
  summary(): string;
  /** The strategies decide on fresh candles. */
  isFresh(): boolean;
}

export interface NotifyServiceParts {
  readonly notifier: Notifier;
  readonly queues: readonly ChannelQueue[];
  readonly deadMan: DeadMan | undefined;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly pageTimes: PageTimesFile;
  /** Answers the commands of a chat from now on. */
  readonly connect: (actions: ChatActions) => void;
  readonly closeNetworks: () => Promise<void>;
}

/**
 * Compares the bot's state with the alerts once a second, beside the engine. Each line that the engine reports
 * (`onNote`) is only counted; every delivery happens behind the queues.
 */
export class NotifyService {
  readonly #parts: NotifyServiceParts;
  #source: NotifySource | undefined;
  #timer: Cancel | undefined;
  #isClosed = false;
  readonly #sent = new Map<AlertLevel, number>(ALERT_LEVELS.map((level) => [level, 0]));

  constructor(parts: NotifyServiceParts) {
    this.#parts = parts;
  }

  /**
   * The bot has been built: its state is compared from now on, and a chat may tighten it.
   * @param tighten sets a level of the kill switch
   */
  start(source: NotifySource, tighten: ChatActions['tighten']): void {
    this.#source = source;
    this.#schedule();
    this.#parts.connect({
      status: () => this.#statusText(source),
      acknowledge: () => this.acknowledge(),
      tighten,
    });
  }

  /** Ends the repetition of the raised alerts. @returns their keys */
  acknowledge(): readonly string[] {
    return this.#parts.notifier.acknowledge();
  }

  /** Notices that went to the queues of the channels, by level. */
  get sent(): ReadonlyMap<AlertLevel, number> {
    return this.#sent;
  }

  #statusText(source: NotifySource): string {
    const alerts = this.#parts.notifier.raised.map(
      ({ key, text, isAcknowledged }) =>
        `${isAcknowledged ? 'acknowledged' : 'raised'} ${key}: ${text}`,
    );
    return [source.summary(), ...(alerts.length === 0 ? ['no alert'] : alerts)].join('\n');
  }

  /** A line of the engine. The step of the engine waits for nothing. */
  onNote({ level, text }: Pick<Note, 'level' | 'text'>): void {
    if (level === 'info') return;
    this.record({ kind: level === 'error' ? 'error' : 'warning', scope: '', text });
  }

  record(event: AlertEvent): void {
    this.#parts.notifier.record(event, this.#parts.clock.utcMs());
  }

  /** Delivers what waits, for at most five seconds. `end`: the last event of the run. */
  async close(end?: AlertEvent): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.();
    const { notifier, queues, scheduler, clock } = this.#parts;
    if (end !== undefined) this.record(end);
    const now = { utcMs: clock.utcMs(), monotonic: clock.monotonicMs() };
    this.#enqueue(notifier.drain(now));
    let cancel: Cancel = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = scheduler.after(LAST_NOTICES_MS, resolve);
    });
    await Promise.race([Promise.all(queues.map((queue) => queue.idle())), late]);
    cancel();
    await Promise.all(queues.map((queue) => queue.close()));
    await this.#parts.pageTimes.written();
    await this.#parts.closeNetworks();
  }

  #enqueue(notices: readonly Notice[]): void {
    const { queues, notifier, pageTimes } = this.#parts;
    for (const notice of notices) {
      this.#sent.set(notice.level, (this.#sent.get(notice.level) ?? 0) + 1);
      for (const queue of queues) queue.enqueue(notice);
    }
    if (notices.some(({ level }) => level === 'page')) pageTimes.write(notifier.pageTimes);
  }

  #schedule(): void {
    this.#timer = this.#parts.scheduler.after(STEP_MS, () => {
      this.#step();
      if (!this.#isClosed) this.#schedule();
    });
  }

  /** An alert that cannot be computed must not end the run that it watches. */
  #step(): void {
    const { notifier, deadMan, clock, logger } = this.#parts;
    const source = this.#source;
    if (source === undefined) return;
    try {
      const now = { utcMs: clock.utcMs(), monotonic: clock.monotonicMs() };
      const conditions = alertConditions(source.facts());
      this.#enqueue(notifier.step(conditions, now, () => source.summary()));
      deadMan?.step(source.isFresh());
    } catch (error) {
      logger.error({ error: String(error) }, 'notify: the alerts could not be computed');
    }
  }
}
