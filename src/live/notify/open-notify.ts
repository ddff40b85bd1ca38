import type { NotifyConfig } from '../../config/config-notify.js';
import { StartError } from '../../core/command-errors.js';
import { freshSecret } from '../../io/node/fresh-secret.js';
import { TelegramChannel } from '../../notify/telegram/telegram-channel.js';
import { TelegramDialogue } from '../../notify/telegram/telegram-dialogue.js';
import type { StartTelegramThread } from '../../notify/telegram/telegram-protocol.js';
import { readSecretFile } from '../../config/secret-file.js';
import type { Clock, Files, Logger, Scheduler } from '../../core/ports.js';
import { isPublicAddress } from '../../io/net/public-address.js';
import { createUndiciHttp, type UndiciHttp } from '../../io/net/undici-http.js';
import { runProgram } from '../../io/node/process/run-program.js';
import type { NotifyChannel } from '../../notify/channel/channel.js';
import { ChannelQueue } from '../../notify/channel/channel-queue.js';
import { CommandChannel } from '../../notify/channel/command-channel.js';
import { DeadMan } from '../../notify/channel/dead-man.js';
import { WebhookChannel } from '../../notify/channel/webhook-channel.js';
import { Notifier } from '../../notify/notifier.js';
import { NotifyService } from './notify-service.js';
import { PageTimesFile } from './page-times-file.js';

export interface OpenNotifyParts {
  readonly account: string;
  /** Run mode. */
  readonly mode: string;
  readonly stateDir: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Texts that the log replaces: the secrets of the channels are added. */
  readonly scrubbed: Set<string>;
  /** Absent: there are no threads, and Telegram is refused. */
  readonly startTelegram?: StartTelegramThread;
}

/** The channels of a configuration, opened. */
export interface OpenChannels {
  readonly channels: readonly NotifyChannel[];
  readonly deadMan: DeadMan | undefined;
  readonly telegram: TelegramChannel | undefined;
  /** Ends the connections. */
  close(): Promise<void>;
}

/** Reads the secrets and opens the channels; connects to none. @throws ConfigError when a secret file is wrong */
export async function openChannels(
  config: NotifyConfig,
  parts: Omit<OpenNotifyParts, 'account' | 'mode' | 'stateDir' | 'files'>,
): Promise<OpenChannels> {
  const { clock, scrubbed } = parts;
  const { webhook, command, deadMan } = config;
  const networks: UndiciHttp[] = [];
  const network = (allowPrivate: boolean): UndiciHttp => {
    const net = createUndiciHttp({
      connectionsPerOrigin: 1,
      maxBodyBytes: 65_536,
      ...(!allowPrivate && { mayConnect: isPublicAddress }),
    });
    networks.push(net);
    return net;
  };
  const channels: NotifyChannel[] = [];
  if (webhook !== undefined) {
    const secret = await readSecretFile(webhook.secretFile);
    scrubbed.add(secret);
    const levels = new Set(webhook.levels);
    const net = network(webhook.allowPrivate);
    channels.push(new WebhookChannel({ url: webhook.url, secret, levels }, { net, clock }));
  }
  if (command !== undefined)
    channels.push(new CommandChannel({ ...command, levels: new Set(command.levels) }, runProgram));
  const telegram = await openTelegram(config, parts);
  if (telegram !== undefined) channels.push(telegram);
  return {
    channels,
    telegram,
    deadMan:
      deadMan === undefined
        ? undefined
        : new DeadMan(deadMan, { ...parts, net: network(deadMan.allowPrivate) }),
    close: async () => {
      await Promise.all(networks.map((net) => net.close()));
    },
  };
}

async function openTelegram(
  { telegram }: NotifyConfig,
  parts: Omit<OpenNotifyParts, 'account' | 'mode' | 'stateDir' | 'files'>,
): Promise<TelegramChannel | undefined> {
  if (telegram === undefined) return undefined;
  const { startTelegram: startThread, clock, scrubbed } = parts;
  if (startThread === undefined) throw new StartError('notify.telegram needs threads');
  const token = await readSecretFile(telegram.tokenFile);
  scrubbed.add(token);
  const { url, allowPrivate, chat, users, commands, pollSeconds } = telegram;
  return new TelegramChannel({
    ...parts,
    startThread,
    levels: new Set(telegram.levels),
    settings: {
      url,
      allowPrivate,
      token,
      chat,
      users: commands ? users : [],
      pollSeconds,
      startedAtMs: clock.utcMs(),
    },
  });
}

/** The alerts of a daemon; undefined: its configuration has none. @throws ConfigError */
export async function openNotify(
  config: NotifyConfig | undefined,
  parts: OpenNotifyParts,
): Promise<NotifyService | undefined> {
  if (config === undefined) return undefined;
  const { channels, deadMan, telegram, close } = await openChannels(config, parts);
  const { account, mode, clock, files, stateDir, logger } = parts;
  const pageTimes = new PageTimesFile(files, stateDir, logger);
  const notifier = new Notifier({
    account,
    mode,
    session: `${account}-${clock.utcMs()}`,
    timeZone: config.timeZone,
    quietHours: config.quietHours,
    digestMinute: config.digestMinute,
    pageTimes: await pageTimes.read(),
  });
  const queues = channels.map((channel) => new ChannelQueue({ ...parts, channel }));
  return new NotifyService({
    ...parts,
    notifier,
    queues,
    deadMan,
    pageTimes,
    connect: (actions) => {
      if (config.telegram?.commands !== true) return;
      telegram?.connect(
        new TelegramDialogue({
          actions,
          monotonicMs: () => clock.monotonicMs(),
          nonce: freshSecret,
        }),
      );
    },
    closeNetworks: close,
  });
}
