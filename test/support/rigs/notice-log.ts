import type { Scheduler } from '../../../src/core/ports.js';
import type { Bot } from '../../../src/live/bot/bot.js';
import { botNotifySource } from '../../../src/live/notify/bot-notify-source.js';
import { NotifyService } from '../../../src/live/notify/notify-service.js';
import { PageTimesFile } from '../../../src/live/notify/page-times-file.js';
import { CandleTimes } from '../../../src/live/status/candle-times.js';
import { ALERT_LEVELS, type AlertLevel } from '../../../src/notify/alert/alert-kind.js';
import { noticeText, type Notice } from '../../../src/notify/alert/notice.js';
import { NO_PAGES, type PageTimes } from '../../../src/notify/alert/page-budget.js';
import type { QuietHours } from '../../../src/notify/alert/quiet-hours.js';
import { ChannelQueue } from '../../../src/notify/channel/channel-queue.js';
import { Notifier } from '../../../src/notify/notifier.js';
import { memoryLogger } from '../fakes/manual-ports.js';
import type { BotWorld } from './bot-world.js';

export interface NoticeLogOptions {
  /** Pages of the run before. Default none. */
  readonly pageTimes?: PageTimes;
  /** In UTC. Default none. */
  readonly quietHours?: QuietHours;
  /** Minute of the UTC day of the digest. Default: no digest. */
  readonly digestMinute?: number;
  /** List that the notices are added to. Default: an own one. */
  readonly notices?: Notice[];
  /** Of the bot's process, so that a dead one sends nothing. Default: the world's time. */
  readonly scheduler?: Scheduler;
}

/** The alerts of a bot in a simulated world, as a person gets them. */
export class NoticeLog {
  readonly notices: Notice[];
  readonly service: NotifyService;
  readonly notifier: Notifier;

  constructor(world: BotWorld, bot: Bot, options: NoticeLogOptions = {}) {
    const { time, files } = world;
    const { notices = [], pageTimes = NO_PAGES, digestMinute, scheduler = time } = options;
    const { quietHours } = options;
    this.notices = notices;
    const logger = memoryLogger();
    const ports = { clock: time, scheduler, logger };
    const channel = {
      name: 'person',
      levels: new Set(ALERT_LEVELS),
      deliver: (notice: Notice) => {
        notices.push(notice);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    this.notifier = new Notifier({
      account: 'demo',
      mode: 'sandbox',
      session: `s${time.utcMs()}`,
      timeZone: 'UTC',
      quietHours,
      digestMinute,
      pageTimes,
    });
    this.service = new NotifyService({
      ...ports,
      notifier: this.notifier,
      queues: [new ChannelQueue({ ...ports, channel })],
      deadMan: undefined,
      pageTimes: new PageTimesFile(files, '/state', logger),
      connect: () => undefined,
      closeNetworks: () => Promise.resolve(),
    });
    this.service.start(botNotifySource({ bot, clock: time, candleTimes: new CandleTimes() }), () =>
      Promise.resolve(),
    );
  }

  of(level: AlertLevel): readonly string[] {
    return this.notices.filter((each) => each.level === level).map(noticeText);
  }
}
