import type { AlertCondition } from './alert/alert-conditions.js';
import { alertKind, type AlertKind, type AlertLevel } from './alert/alert-kind.js';
import { IncidentTracker, type AlertTime, type AlertTransition } from './alert/incident-tracker.js';
import { batchOf, MessageBatch, type NoticeBatch } from './alert/message-batch.js';
import type { Notice, NoticeItem } from './alert/notice.js';
import { PageBudget, type PageTimes } from './alert/page-budget.js';
import { isQuiet, LocalClock, type QuietHours } from './alert/quiet-hours.js';

export interface NotifierSettings {
  readonly account: string;
  /** Run mode. */
  readonly mode: string;
  /** First part of every notice's id; unique to the run. */
  readonly session: string;
  readonly timeZone: string;
  /** undefined: none. */
  readonly quietHours: QuietHours | undefined;
  /** Minute of the day of the digest; undefined: none. */
  readonly digestMinute: number | undefined;
  /** Pages of earlier runs. */
  readonly pageTimes: PageTimes;
}

/** An alert without an end. */
export interface AlertEvent {
  readonly kind: AlertKind;
  readonly scope: string;
  readonly text: string;
}

/**
 * Decides which notices leave, and when. Deterministic: the same steps give the same notices. It sends nothing
 * itself; its caller gives each notice to the queues of the channels.
 */
export class Notifier {
  readonly #settings: NotifierSettings;
  readonly #localClock: LocalClock;
  readonly #incidents = new IncidentTracker();
  readonly #pages: PageBudget;
  readonly #messages = new MessageBatch();
  readonly #digest = new MessageBatch();
  readonly #urgent: NoticeItem[] = [];
  /** Local day of the last digest; undefined: before the first step. */
  #digestDay: string | undefined;
  #notices = 0;

  constructor(settings: NotifierSettings) {
    this.#settings = settings;
    this.#pages = new PageBudget(settings.pageTimes);
    this.#localClock = new LocalClock(settings.timeZone);
  }

  /** Raised alerts, the oldest first. */
  get raised(): IncidentTracker['raised'] {
    return this.#incidents.raised;
  }

  /** Times of the last pages, for the next run. */
  get pageTimes(): PageTimes {
    return this.#pages.times;
  }

  /** Stops the repetition of the raised alerts. @returns their keys */
  acknowledge(): readonly string[] {
    return this.#incidents.acknowledge();
  }

  /** Counts an event; `step` delivers it. */
  record({ kind, scope, text }: AlertEvent, utcMs: number): void {
    const { level, title } = alertKind(kind);
    const key = scope === '' ? kind : `${kind}:${scope}`;
    const item: NoticeItem = {
      key,
      kind,
      state: 'happened',
      title,
      text,
      count: 1,
      sinceMs: utcMs,
    };
    if (level === 'page') this.#urgent.push(item);
    else this.#queueOf(level).add(item);
  }

  /** @param summary lines of the digest, read only when it is due */
  step(
    conditions: readonly AlertCondition[],
    now: AlertTime,
    summary: () => string,
  ): readonly Notice[] {
    const pages = this.#urgent.splice(0);
    const ended: NoticeItem[] = [];
    for (const event of this.#incidents.step(conditions, now)) this.#route(event, pages, ended);
    const { day, minute } = this.#localClock.at(now.utcMs);
    const { quietHours } = this.#settings;
    const isHeld = quietHours !== undefined && isQuiet(minute, quietHours);
    const page = this.#pages.step(pages, now.utcMs);
    const notices = page === undefined ? [] : [this.#notice('page', batchOf(page), now)];
    if (ended.length > 0) notices.push(this.#notice('message', batchOf(ended), now));
    const messages = this.#messages.take(now.monotonic, isHeld);
    if (messages !== undefined) notices.push(this.#notice('message', messages, now));
    const digest = this.#digestAt(day, minute, now, summary);
    return digest === undefined ? notices : [...notices, digest];
  }

  /** The messages that still wait, at the end of a run; also in quiet hours nothing is lost. */
  drain(now: AlertTime): readonly Notice[] {
    const pages = this.#pages.drain(this.#urgent.splice(0), now.utcMs);
    const batch = this.#messages.drain(now.monotonic);
    return [
      ...(pages.length === 0 ? [] : [this.#notice('page', batchOf(pages), now)]),
      ...(batch === undefined ? [] : [this.#notice('message', batch, now)]),
    ];
  }

  /** The end of a page belongs to it and leaves at once, without a sound. */
  #route({ level, item }: AlertTransition, pages: NoticeItem[], ended: NoticeItem[]): void {
    this.#count(item);
    if (level !== 'page') this.#queueOf(level).add(item);
    else if (item.state !== 'resolved') pages.push(item);
    else if (this.#pages.withdraw(item.key)) this.#messages.add(item);
    else ended.push(item);
  }

  /** The digest counts every alert that was raised. */
  #count(item: NoticeItem): void {
    if (item.state === 'raised') this.#digest.add({ ...item, state: 'happened', count: 1 });
  }

  #queueOf(level: AlertLevel): MessageBatch {
    return level === 'digest' ? this.#digest : this.#messages;
  }

  #digestAt(
    day: string,
    minute: number,
    now: AlertTime,
    summary: () => string,
  ): Notice | undefined {
    const { digestMinute } = this.#settings;
    if (digestMinute === undefined) return undefined;
    const isFirst = this.#digestDay === undefined;
    if (minute < digestMinute) {
      // A day that begins before its digest still has it to come.
      if (isFirst) this.#digestDay = '';
      return undefined;
    }
    if (this.#digestDay === day) return undefined;
    this.#digestDay = day;
    if (isFirst) return undefined;
    const first: NoticeItem = {
      key: 'summary',
      kind: 'summary',
      state: 'happened',
      title: alertKind('summary').title,
      text: summary(),
      count: 1,
      sinceMs: now.utcMs,
    };
    const { items = [], omitted = 0 } = this.#digest.drain(now.monotonic) ?? {};
    return this.#notice('digest', { items: [first, ...items], omitted }, now);
  }

  #notice(level: AlertLevel, { items, omitted }: NoticeBatch, { utcMs }: AlertTime): Notice {
    this.#notices += 1;
    const { session, account, mode } = this.#settings;
    return {
      id: `${session}-${this.#notices}`,
      level,
      silent: level !== 'page',
      atMs: utcMs,
      account,
      mode,
      items,
      omitted,
    };
  }
}
