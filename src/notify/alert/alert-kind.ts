/** `page` wakes a person; `message` waits for the end of quiet hours; `digest` is part of the daily summary. */
export const ALERT_LEVELS = ['page', 'message', 'digest'] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

export interface AlertKindEntry {
  readonly level: AlertLevel;
  /** First words of the alert. */
  readonly title: string;
  /** Real ms for which its condition holds before it is raised. */
  readonly afterMs: number;
  /** Condition, for the table of docs/notifications.md. */
  readonly when: string;
  /** Its end; undefined: it reports an event and has none. */
  readonly ends: string | undefined;
  /** Action of a person. */
  readonly action: string;
}

/**
 * Every alert, in the order of its urgency. A stop that fires, a fill and a refused order are none: they are
 * the bot at work.
 */
export const ALERT_KINDS = {
  unprotected_position: {
    level: 'page',
    title: 'position without its stop',
    afterMs: 5_000,
    when: 'two reads show a position of ours without its required stop, and 5 s later it is still missing',
    ends: 'the stop stands again, or the position is closed',
    action: '`sluice status`; set a stop or close the position at the venue',
  },
  unproved_order: {
    level: 'page',
    title: 'order without a proved outcome',
    afterMs: 0,
    when: 'an order has had no proof of its outcome for more than 60 s',
    ends: 'every order of the symbol is proved',
    action:
      'look for the order at the venue; `sluice order resolve ID --never-landed` if it never landed',
  },
  latched_restriction: {
    level: 'page',
    title: 'entries stop until a person resumes',
    afterMs: 0,
    when: 'a control restricts the account or a symbol, and only a person ends it',
    ends: '`sluice resume`',
    action: 'mend the cause that the alert names, then the `sluice resume` that it names',
  },
  halted: {
    level: 'page',
    title: 'trading is halted',
    afterMs: 0,
    when: 'the engine has halted: nothing is placed, also no exit',
    ends: undefined,
    action: 'check the account at the venue, then start again: the start reconciles first',
  },
  run_failed: {
    level: 'page',
    title: 'the run has ended with an error',
    afterMs: 0,
    when: '`sluice run` ends with an error after its start',
    ends: undefined,
    action: 'read the log, then start again; only the stops at the venue protect until then',
  },
  feed_dead: {
    level: 'page',
    title: 'no prices for an open position',
    afterMs: 0,
    when: 'a symbol with a position of ours has had no price for more than 60 s, or 15 min with a stop at the venue',
    ends: 'a price arrives',
    action: 'check network and venue; the stop at the venue still protects',
  },
  key_refused: {
    level: 'page',
    title: 'the venue refuses the key',
    afterMs: 0,
    when: 'the venue refuses the API key: nothing is placed',
    ends: 'a poll succeeds again',
    action: 'put the secret of a valid key into the secret file, then `kill -HUP PID`',
  },
  strategy_failed: {
    level: 'message',
    title: 'strategy has failed',
    afterMs: 0,
    when: 'a strategy has failed and is no longer called; position, stop and loss at the stop are named',
    ends: undefined,
    action: 'decide about its position, mend the strategy, start again',
  },
  restriction: {
    level: 'message',
    title: 'entries are restricted',
    afterMs: 60_000,
    when: 'a restriction that ends by itself (limits, errors, maintenance, R07 to R25) has held for 60 s',
    ends: 'the restriction ends',
    action: 'none; `sluice status` names the cause',
  },
  feed_down: {
    level: 'message',
    title: 'no prices',
    afterMs: 0,
    when: 'a traded symbol without a position, or with one that has a stop at the venue, has had no price for more than 60 s',
    ends: 'a price arrives',
    action: 'check network and venue if it lasts',
  },
  kill_switch: {
    level: 'message',
    title: 'the kill switch is on',
    afterMs: 0,
    when: 'a person, a file or a signal has set a level of the kill switch',
    ends: '`sluice resume`',
    action: '`sluice resume` when the bot may trade again',
  },
  flatten_unfinished: {
    level: 'message',
    title: 'a flatten is not finished',
    afterMs: 60_000,
    when: 'a flatten has positions or orders left after 60 s',
    ends: 'everything is closed',
    action: '`sluice status`; close the rest at the venue if it does not shrink',
  },
  error: {
    level: 'message',
    title: 'error',
    afterMs: 0,
    when: 'the engine writes a line of level `error` that no other alert covers',
    ends: undefined,
    action: 'read the log',
  },
  venue_changed: {
    level: 'message',
    title: "the venue's answers have changed",
    afterMs: 0,
    when: 'a read of the [canary](operations.md#canary) finds another rule, limit, fee rate, status or shape; said once for each change',
    ends: undefined,
    action: 'compare it with the limits and sizes of the configuration; `sluice doctor CONFIG`',
  },
  outside_expected_run: {
    level: 'message',
    title: 'trades lie outside the backtest',
    afterMs: 0,
    when: '20 closed trades in a row lie outside the 5 to 95 % band of [`expected_run`](report.md#expected-run); said once',
    ends: undefined,
    action: '`sluice drift` names the differences; pause the strategy if it goes on',
  },
  started: {
    level: 'message',
    title: 'started',
    afterMs: 0,
    when: 'the daemon trades after a start',
    ends: undefined,
    action: 'none; a start that no person made is a restart by the supervisor',
  },
  stopped: {
    level: 'message',
    title: 'stopped',
    afterMs: 0,
    when: 'the daemon ends as it was asked to',
    ends: undefined,
    action: 'none',
  },
  test: {
    level: 'message',
    title: 'test',
    afterMs: 0,
    when: '`sluice notify test`, once at each level',
    ends: undefined,
    action: 'none',
  },
  warning: {
    level: 'digest',
    title: 'warnings',
    afterMs: 0,
    when: 'the engine writes a line of level `warn`; they are counted',
    ends: undefined,
    action: 'read the log',
  },
  summary: {
    level: 'digest',
    title: 'daily summary',
    afterMs: 0,
    when: 'once a day at `digest_at`: equity, positions, fills, refusals and the alerts of the day',
    ends: undefined,
    action: 'none',
  },
} as const satisfies Readonly<Record<string, AlertKindEntry>>;

export type AlertKind = keyof typeof ALERT_KINDS;

/** The entry of a kind, without the literal types of the table. */
export const alertKind = (kind: AlertKind): AlertKindEntry => ALERT_KINDS[kind];
