import type { Bot } from '../../../src/live/bot/bot.js';
import { resolveBehavior } from '../../../src/sandbox/behavior/behavior-choices.js';
import { loadReplay } from '../../../src/market/synthetic/replay-files.js';
import { nodeFiles } from '../../../src/io/node/node-files.js';
import type { Notice } from '../../../src/notify/alert/notice.js';
import { NO_PAGES } from '../../../src/notify/alert/page-budget.js';
import { HinderedProcess } from '../../support/fakes/hindered-process.js';
import { BotWorld, START_MS } from '../../support/rigs/bot-world.js';
import { NoticeLog } from '../../support/rigs/notice-log.js';
import {
  EPISODES,
  episodeKind,
  episodesOf,
  ORDINARY_FAULTS,
  type Episode,
  type EpisodeName,
} from './field-month.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A person who was paged looks, acknowledges, and resumes what only a person may. */
const ANSWER_MS = 15 * MINUTE_MS;
/** A supervisor such as systemd starts the process again after this long. */
const RESTART_MS = 5_000;
const DIGEST_MINUTE = 8 * 60;
const MAINTENANCE = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: '<html>maintenance</html>',
};

/** Four strategies of the library at usual sizes, each with a stop, under preset standard. */
const CONFIG = `
mode: sandbox
account: demo
venue: { base_url: 'http://127.0.0.1:8787', ws_url: 'ws://127.0.0.1:8787' }
state_dir: /state
on_stop: keep
strategies:
  - { id: btc-cross, use: sma-cross, symbols: [BTCUSDT], interval: 5m, leverage: 2, size: { notional: '250' }, protect: { stop_loss_pct: 2 } }
  - { id: eth-breakout, use: donchian-breakout, symbols: [ETHUSDT], interval: 5m, leverage: 2, size: { notional: '250' }, protect: { stop_loss_pct: 2 } }
  - { id: sol-reversion, use: bollinger-reversion, symbols: [SOLUSDT], interval: 1m, leverage: 2, size: { notional: '250' }, protect: { stop_loss_pct: 2 } }
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT, SOLUSDT] }
`;

export interface PagedMonthOptions {
  /** Folder of one-minute candles. */
  readonly data: string;
  /** First venue day, from 2025-05-05 on. */
  readonly firstDay: number;
  readonly days: number;
  readonly seed: number;
  /** Venue time per real time. */
  readonly speed: number;
  /** false: the field's quirks and disturbances are off. */
  readonly disturbed: boolean;
  readonly onDay?: (text: string) => void;
}

/** A notice that left, with the disturbances of the ten minutes before it. */
export interface SentNotice {
  readonly at: string;
  readonly level: Notice['level'];
  readonly items: readonly {
    readonly kind: string;
    readonly state: string;
    readonly text: string;
  }[];
  readonly after: readonly EpisodeName[];
}

export interface PagedMonthResult {
  readonly days: number;
  readonly sent: readonly SentNotice[];
  readonly episodes: Readonly<Partial<Record<EpisodeName, number>>>;
  readonly starts: number;
  readonly ordersFilled: number;
  readonly ordersRefused: number;
  /** Orders without a proof at the end. */
  readonly unknown: number;
  /** The account agrees with the ledger at the end. */
  readonly reconciled: boolean;
  readonly mode: string;
  readonly equity: string;
}

/** Runs the bot over recorded candles in virtual time, and counts what reaches a person. */
export async function runPagedMonth(options: PagedMonthOptions): Promise<PagedMonthResult> {
  return (await PagedMonth.open(options)).run();
}

class PagedMonth {
  readonly #options: PagedMonthOptions;
  readonly #world: BotWorld;
  readonly #notices: Notice[] = [];
  readonly #past: Episode[] = [];
  #process = new HinderedProcess();
  #bot: Bot | undefined;
  #log: NoticeLog | undefined;
  /** ms of the oldest page without an answer; undefined: none. */
  #pagedAt: number | undefined;
  #answered = 0;
  #starts = 0;
  #filled = 0;
  #refused = 0;

  private constructor(options: PagedMonthOptions, world: BotWorld) {
    this.#options = options;
    this.#world = world;
  }

  static async open(options: PagedMonthOptions): Promise<PagedMonth> {
    const startMs = START_MS + options.firstDay * DAY_MS;
    const { market, listings } = await loadReplay(nodeFiles, options.data, startMs);
    const clock =
      options.speed === 1
        ? ({ kind: 'real' } as const)
        : ({ kind: 'fast', factor: options.speed } as const);
    const world: BotWorld = new BotWorld({
      config: CONFIG,
      startMs,
      seed: options.seed,
      sandbox: {
        clock,
        held: true,
        replay: { market, listings },
        ...(options.disturbed && resolveBehavior({ quirks: 'field' })),
      },
      notice: (note) => month.#log?.service.onNote(note),
    });
    const month = new PagedMonth(options, world);
    return month;
  }

  async run(): Promise<PagedMonthResult> {
    const { days, firstDay, disturbed, seed, speed, onDay } = this.#options;
    await this.#start();
    const minutes = (days * DAY_MS) / speed / MINUTE_MS;
    const episodes = disturbed ? episodesOf(days / speed, seed + firstDay) : [];
    const waiting = [...episodes];
    for (let minute = 1; minute <= minutes; minute += 1) {
      const until = minute * MINUTE_MS;
      for (let next = waiting[0]; next !== undefined && next.at < until; next = waiting[0]) {
        await this.#runTo(next.at);
        waiting.shift();
        await this.#play(next);
      }
      await this.#runTo(until);
      await this.#superviseMinute();
      this.#answerPages(until);
      if (minute % (DAY_MS / MINUTE_MS / speed) === 0)
        onDay?.(
          `day ${firstDay + (minute * MINUTE_MS * speed) / DAY_MS}: ${this.#notices.length} notices`,
        );
    }
    await this.#world.time.run(5 * MINUTE_MS);
    return this.#result(episodes);
  }

  async #runTo(at: number): Promise<void> {
    const { time } = this.#world;
    if (at > time.monotonicMs()) await time.run(at - time.monotonicMs());
  }

  /** Without faults: the daemon repeats the requests of its start, which this bot does not. */
  async #start(): Promise<void> {
    const world = this.#world;
    await world.setFaults([]);
    this.#process = new HinderedProcess();
    this.#bot = await world.start(this.#process);
    this.#starts += 1;
    const pageTimes = this.#log?.notifier.pageTimes ?? NO_PAGES;
    const log = new NoticeLog(world, this.#bot, {
      pageTimes,
      digestMinute: DIGEST_MINUTE,
      notices: this.#notices,
      scheduler: this.#process.scheduler(world.time),
    });
    await this.#ordinary();
    this.#log = log;
    log.service.record({ kind: 'started', scope: '', text: `mode ${this.#bot.engine.mode}` });
  }

  /** As the daemon and its supervisor: a run that failed is a page, and the process starts again. */
  async #superviseMinute(): Promise<void> {
    const failure = this.#bot?.failure;
    this.#world.log.length = 0;
    if (failure === undefined) return;
    const end = { kind: 'run_failed', scope: '', text: failure.message } as const;
    await this.#restart(() => this.#world.time.resolve(this.#closeLog(end)));
  }

  #answerPages(now: number): void {
    const pages = this.#notices.filter(({ level }) => level === 'page').length;
    if (pages === this.#answered) return;
    this.#pagedAt ??= now;
    if (now - this.#pagedAt < ANSWER_MS) return;
    this.#answered = pages;
    this.#pagedAt = undefined;
    this.#log?.notifier.acknowledge();
    const restrictions = this.#bot?.engine.restrictions ?? [];
    for (const { class: kind, symbol } of restrictions)
      if (kind === 'latching')
        this.#bot?.command({ kind: 'resume', ...(symbol !== undefined && { symbol }) });
  }

  async #closeLog(end: Parameters<NoticeLog['service']['close']>[0]): Promise<void> {
    await this.#log?.service.close(end);
  }

  async #restart(before: () => Promise<void>): Promise<void> {
    await before();
    this.#count();
    this.#process.kill('it ended');
    await this.#world.time.run(RESTART_MS);
    await this.#start();
  }

  async #play(episode: Episode): Promise<void> {
    const { faults, acts } = episodeKind(episode.name);
    this.#past.push(episode);
    if (acts === 'kill') return this.#restart(() => Promise.resolve());
    if (acts === 'offline') this.#process.goOffline();
    if (acts === 'maintenance') {
      this.#process.instead = () => MAINTENANCE;
      this.#process.passes = () => false;
    }
    if (faults !== undefined) await this.#world.setFaults([...ORDINARY_FAULTS, ...faults]);
    if (episode.forMs === 0) return;
    await this.#world.time.run(episode.forMs);
    if (acts === 'offline') this.#process.goOnline();
    this.#process.instead = () => undefined;
    this.#process.passes = () => true;
    await this.#ordinary();
  }

  async #ordinary(): Promise<void> {
    await this.#world.setFaults(this.#options.disturbed ? ORDINARY_FAULTS : []);
  }

  #count(): void {
    const counts = this.#bot?.engine.counts;
    this.#filled += counts?.ordersFilled ?? 0;
    this.#refused += counts?.refused ?? 0;
  }

  #result(episodes: readonly Episode[]): PagedMonthResult {
    const engine = this.#bot?.engine;
    this.#count();
    const counts: Partial<Record<EpisodeName, number>> = {};
    for (const name of Object.keys(EPISODES) as EpisodeName[])
      counts[name] = episodes.filter((each) => each.name === name).length;
    return {
      days: this.#options.days,
      sent: this.#notices.map((notice) => this.#sentNotice(notice)),
      episodes: counts,
      starts: this.#starts,
      ordersFilled: this.#filled,
      ordersRefused: this.#refused,
      unknown: engine?.ledger.unprovedCount ?? 0,
      reconciled: engine?.isReconciled === true,
      mode: engine?.mode ?? '',
      equity: String(engine?.facts.equity('USDT') ?? ''),
    };
  }

  #sentNotice({ atMs, level, items }: Notice): SentNotice {
    const at = atMs - this.#world.time.utcMs() + this.#world.time.monotonicMs();
    const near = this.#past.filter((each) => at >= each.at && at < each.at + each.forMs + 600_000);
    return {
      at: new Date(atMs).toISOString(),
      level,
      items: items.map(({ kind, state, text }) => ({ kind, state, text })),
      after: near.map(({ name }) => name),
    };
  }
}
