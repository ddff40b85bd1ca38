import { resolve } from 'node:path';
import { z } from 'zod';
import { durationFromText } from '../core/time-text.js';
import { isPublicAddress } from '../io/net/public-address.js';
import { block, choice, integer, kindOf, list, matchingText, scalar } from './config-fields.js';

/** The keys of `notify:`, the alerts for a person (docs/notifications.md). */

const LEVELS = ['page', 'message', 'digest'] as const;
export type NotifyLevel = (typeof LEVELS)[number];
const levels = list(choice(LEVELS), 'levels').default([...LEVELS]);

const TIME_FORM = 'a local time such as "22:00"';
function minuteFromText(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
const localTime = scalar(TIME_FORM, minuteFromText);

const ZONE_FORM = 'a time zone such as Asia/Kolkata or UTC';
function zoneFromText(text: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const duration = (form: string, least: number, most: number) =>
  scalar(form, (text) => {
    const ms = durationFromText(text);
    return ms !== undefined && ms >= least && ms <= most ? ms : undefined;
  });

const flag = z
  .boolean({ error: ({ input }) => `expected true or false, not ${kindOf(input)}` })
  .default(false);
const path = matchingText('a path', /./);
const word = matchingText('a word', /./);
const SECONDS_FORM = 'a duration from 1s to 60s, such as 10s';
const PING_FORM = 'a duration from 10s to 1h, such as 60s';
const CHAT_FORM = 'the number of a chat, such as 123456789 (a group has a number below 0)';
const id = (form: string) =>
  scalar(form, (text) => (/^-?[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined));
const userId = scalar('the number of a user, such as 123456789', (text) =>
  /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined,
);
const botUrl = matchingText('an address such as https://api.telegram.org', /./);

/** An address and whether it may lead into a private network. */
const address = {
  url: matchingText('an address such as https://example.com/hook', /./),
  allow_private: flag,
};

export const notifySchema = block({
  time_zone: scalar(ZONE_FORM, zoneFromText).default('UTC'),
  quiet_hours: block({ from: localTime, to: localTime }).exactOptional(),
  digest_at: localTime.exactOptional(),
  webhook: withSafeUrl(block({ ...address, secret_file: path, levels })).exactOptional(),
  command: block({
    run: list(word, 'words: the program and its arguments'),
    timeout: duration(SECONDS_FORM, 1_000, 60_000).default(10_000),
    levels,
  }).exactOptional(),
  telegram: withSafeUrl(
    block({
      url: botUrl.default('https://api.telegram.org'),
      allow_private: flag,
      token_file: path,
      chat: id(CHAT_FORM),
      users: list(userId, 'users').exactOptional(),
      commands: flag,
      poll_seconds: integer(0, 50).default(25),
      levels,
    }),
  ).exactOptional(),
  dead_man: withSafeUrl(
    block({ ...address, every: duration(PING_FORM, 10_000, 3_600_000).default(60_000) }),
  ).exactOptional(),
}).superRefine((raw, context) => {
  const { webhook, command, telegram, dead_man: deadMan, quiet_hours: quiet } = raw;
  if ([webhook, command, telegram, deadMan].every((each) => each === undefined))
    context.addIssue('names no way to a person: add webhook, telegram, command or dead_man');
  if (quiet !== undefined && quiet.from === quiet.to) {
    const message = 'is the same as quiet_hours.to: no minute would be quiet';
    context.addIssue({ code: 'custom', message, path: ['quiet_hours', 'from'] });
  }
  if (telegram?.commands === true && telegram.users === undefined) {
    const message = 'is missing: commands: true needs the numbers of the users that may give them';
    context.addIssue({ code: 'custom', message, path: ['telegram', 'users'] });
  }
});

/** The address must be https and public, unless `allow_private` says otherwise. */
function withSafeUrl<
  Schema extends z.ZodType<{ readonly url: string; readonly allow_private: boolean }>,
>(schema: Schema): Schema {
  return schema.superRefine(({ url, allow_private: allowPrivate }, context) => {
    const message = urlProblem(url, allowPrivate);
    if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['url'] });
  });
}

function urlProblem(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return `expected an address such as https://example.com/hook, not "${text}"`;
  if (url.username !== '' || url.password !== '')
    return 'has a user or a password in it: put a secret into a file instead';
  if (allowPrivate) return undefined;
  if (url.protocol !== 'https:')
    return `"${text}" is refused: the text would travel unencrypted; use https (or allow_private: true in a private network)`;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isAddress = /^[\d.]+$|:/.test(host);
  return host === 'localhost' || (isAddress && !isPublicAddress(host))
    ? `"${text}" is refused: ${host} is a private address; allow_private: true permits it`
    : undefined;
}

export type RawNotify = z.output<typeof notifySchema>;

/** The `notify:` block. Times are real ms. */
export interface NotifyConfig {
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes of the local day. */
  readonly quietHours?: { readonly fromMinute: number; readonly toMinute: number };
  readonly digestMinute?: number;
  readonly webhook?: {
    readonly url: string;
    readonly allowPrivate: boolean;
    /** Absolute path. */
    readonly secretFile: string;
    readonly levels: readonly NotifyLevel[];
  };
  readonly command?: {
    /** Program and arguments; a relative path starts at the configuration file. */
    readonly run: readonly string[];
    readonly timeoutMs: number;
    readonly levels: readonly NotifyLevel[];
  };
  readonly telegram?: TelegramConfig;
  readonly deadMan?: {
    readonly url: string;
    readonly allowPrivate: boolean;
    readonly everyMs: number;
  };
}

export interface TelegramConfig {
  /** Address of the Bot API. */
  readonly url: string;
  readonly allowPrivate: boolean;
  /** Absolute path. */
  readonly tokenFile: string;
  readonly chat: number;
  /** May give commands, in this chat only. */
  readonly users: readonly number[];
  readonly commands: boolean;
  /** Seconds that one request for updates may wait. */
  readonly pollSeconds: number;
  readonly levels: readonly NotifyLevel[];
}

/** @param directory folder of the configuration file */
export function notifyFrom(raw: RawNotify, directory: string): NotifyConfig {
  const { time_zone: timeZone, quiet_hours: quiet, digest_at: digestMinute } = raw;
  const { webhook, command, telegram, dead_man: deadMan } = raw;
  return {
    timeZone,
    ...(quiet !== undefined && { quietHours: { fromMinute: quiet.from, toMinute: quiet.to } }),
    ...(digestMinute !== undefined && { digestMinute }),
    ...(webhook !== undefined && {
      webhook: {
        url: webhook.url,
        allowPrivate: webhook.allow_private,
        secretFile: resolve(directory, webhook.secret_file),
        levels: webhook.levels,
      },
    }),
    ...(command !== undefined && {
      command: {
        run: programFrom(command.run, directory),
        timeoutMs: command.timeout,
        levels: command.levels,
      },
    }),
    ...(telegram !== undefined && { telegram: telegramFrom(telegram, directory) }),
    ...(deadMan !== undefined && {
      deadMan: { url: deadMan.url, allowPrivate: deadMan.allow_private, everyMs: deadMan.every },
    }),
  };
}

const telegramFrom = (
  raw: NonNullable<RawNotify['telegram']>,
  directory: string,
): TelegramConfig => ({
  url: raw.url,
  allowPrivate: raw.allow_private,
  tokenFile: resolve(directory, raw.token_file),
  chat: raw.chat,
  users: raw.users ?? [],
  commands: raw.commands,
  pollSeconds: raw.poll_seconds,
  levels: raw.levels,
});

/** A name without a slash is searched on the PATH. */
function programFrom([file = '', ...args]: readonly string[], directory: string) {
  return [file.includes('/') ? resolve(directory, file) : file, ...args];
}
