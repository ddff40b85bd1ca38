import type { AlertKind, AlertLevel } from './alert-kind.js';

/** `happened`: an event without an end. */
export type NoticeState = 'raised' | 'repeated' | 'resolved' | 'happened';

/** One alert within a notice. */
export interface NoticeItem {
  readonly key: string;
  readonly kind: AlertKind;
  readonly state: NoticeState;
  readonly title: string;
  readonly text: string;
  /** Times that it was raised since it is known; above 1 it comes and goes, or repeats. */
  readonly count: number;
  /** ms UTC of its first occurrence. */
  readonly sinceMs: number;
}

/** A delivery to a person, by any channel. */
export interface Notice {
  /** Unique over restarts; the receiver drops a second copy. */
  readonly id: string;
  readonly level: AlertLevel;
  /** It needs no sound: the end of a page, or a message. */
  readonly silent: boolean;
  /** ms UTC. */
  readonly atMs: number;
  readonly account: string;
  /** Run mode: sandbox, paper, live. */
  readonly mode: string;
  readonly items: readonly NoticeItem[];
  /** Items that did not fit. */
  readonly omitted: number;
}

const HEADS: Readonly<Record<AlertLevel, string>> = {
  page: 'PAGE',
  message: 'message',
  digest: 'digest',
};

/** The notice as plain text, one item a line. */
export function noticeText({ level, account, mode, items, omitted }: Notice): string {
  const head = `${HEADS[level]} · ${account} (${mode})`;
  const lines = items.map(itemText);
  const more = omitted === 0 ? [] : [`and ${omitted} more`];
  return [
    items.length > 1 ? `${head}: ${items.length + omitted} alerts` : head,
    ...lines,
    ...more,
  ].join('\n');
}

function itemText({ state, title, text, count }: NoticeItem): string {
  const prefix = state === 'resolved' ? 'resolved: ' : state === 'repeated' ? 'still: ' : '';
  return `${prefix}${title}${text === '' ? '' : `: ${text}`}${count > 1 ? ` (${count} times)` : ''}`;
}
