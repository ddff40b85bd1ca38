import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualTime, memoryLogger } from '../../../test/support/fakes/manual-ports.js';
import { BotApi, TOKEN } from '../../../test/support/rigs/bot-api.js';
import { createUndiciHttp, type UndiciHttp } from '../../io/net/undici-http.js';
import { ALERT_LEVELS } from '../alert/alert-kind.js';
import type { Notice } from '../alert/notice.js';
import { TelegramChannel, THREAD_TIMEOUT_MS } from './telegram-channel.js';
import { TelegramClient } from './telegram-client.js';
import { BUTTON_MS, TelegramDialogue, type TighteningLevel } from './telegram-dialogue.js';
import type { StartTelegramThread, TelegramSettings } from './telegram-protocol.js';

const NOTICE: Notice = {
  id: 'run-1',
  level: 'page',
  silent: false,
  atMs: 0,
  account: 'main',
  mode: 'live',
  items: [
    {
      key: 'halted',
      kind: 'halted',
      state: 'raised',
      title: 'trading is halted',
      text: 'x',
      count: 1,
      sinceMs: 0,
    },
  ],
  omitted: 0,
};

let api: BotApi;
const clients: TelegramClient[] = [];
const networks: UndiciHttp[] = [];
beforeEach(async () => {
  api = await new BotApi().listen();
});
afterEach(async () => {
  for (const each of clients.splice(0)) each.stop();
  for (const each of networks.splice(0)) await each.close();
  api.close();
});

/** The client in this thread, with short pauses. */
const inProcess: StartTelegramThread = (settings, { onMessage }) => {
  const net = createUndiciHttp();
  networks.push(net);
  const client = new TelegramClient({
    net,
    settings,
    emit: onMessage,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5))),
  });
  clients.push(client);
  if (settings.users.length > 0) void client.poll();
  return {
    post: (message) => {
      client.handle(message);
    },
    terminate: () => {
      client.stop();
      return Promise.resolve();
    },
  };
};

/** A chat with the bot, and the level that it has set. */
class ChatRig {
  readonly time = new ManualTime();
  readonly logger = memoryLogger();
  readonly levels: string[] = [];
  readonly channel: TelegramChannel;

  constructor(settings: Partial<TelegramSettings> = {}, startThread = inProcess) {
    this.channel = new TelegramChannel({
      settings: {
        url: api.url,
        allowPrivate: true,
        token: TOKEN,
        chat: 99,
        users: [7],
        pollSeconds: 1,
        startedAtMs: Date.now(),
        ...settings,
      },
      levels: new Set(ALERT_LEVELS),
      startThread,
      scheduler: this.time,
      logger: this.logger,
    });
  }

  connect(): this {
    let nonces = 0;
    this.channel.connect(
      new TelegramDialogue({
        actions: {
          status: () => 'equity 10,000',
          acknowledge: () => ['halted'],
          tighten: (level: TighteningLevel, reason: string) => {
            this.levels.push(`${level} by ${reason}`);
            return Promise.resolve();
          },
        },
        monotonicMs: () => this.time.monotonicMs(),
        nonce: () => `nonce-${(nonces += 1)}`,
      }),
    );
    return this;
  }

  /** The next text of the bot that matches. */
  async answered(pattern: RegExp): Promise<void> {
    await vi.waitFor(() => {
      expect(api.sent.at(-1)?.text).toMatch(pattern);
    }, 5_000);
  }
}

describe('notices by Telegram', () => {
  it('a page sounds and a message is silent, both in the configured chat', async () => {
    const { channel } = new ChatRig();
    await channel.deliver(NOTICE);
    await channel.deliver({ ...NOTICE, level: 'message', silent: true });
    expect(api.sent.map((each) => [each.chat_id, each.disable_notification])).toEqual([
      [99, false],
      [99, true],
    ]);
    expect(api.sent[0]?.text).toBe('PAGE · main (live)\ntrading is halted: x');
  });

  it('a flood limit is the pause that Telegram asks for', async () => {
    api.floods.push(17);
    const { channel } = new ChatRig();
    await expect(channel.deliver(NOTICE)).rejects.toMatchObject({
      isPermanent: false,
      retryAfterMs: 17_000,
    });
    await channel.deliver(NOTICE);
    expect(api.sent).toHaveLength(1);
  });

  it('a wrong token is permanent, names its file, and is in no message', async () => {
    const { channel } = new ChatRig({ token: '999:other' });
    const error: unknown = await channel.deliver(NOTICE).catch((each: unknown) => each);
    expect(error).toMatchObject({ isPermanent: true });
    expect(String(error)).toContain('notify.telegram.token_file');
    expect(String(error)).not.toContain('999:other');
  });

  it('an API that cannot be reached is tried again, and the token is in no message', async () => {
    const { channel } = new ChatRig({ url: 'http://127.0.0.1:9' });
    const error: unknown = await channel.deliver(NOTICE).catch((each: unknown) => each);
    expect(error).toMatchObject({ isPermanent: false });
    expect(String(error)).not.toContain(TOKEN);
  });

  it('a thread that does not answer is replaced after its time', async () => {
    let started = 0;
    let terminated = 0;
    const hung: StartTelegramThread = () => {
      started += 1;
      return {
        post: () => undefined,
        terminate: () => {
          terminated += 1;
          return Promise.resolve();
        },
      };
    };
    const { channel, time } = new ChatRig({}, hung);
    for (let tries = 0; tries < 2; tries += 1) {
      const delivery = channel.deliver(NOTICE).catch((error: unknown) => String(error));
      await time.advance(THREAD_TIMEOUT_MS);
      expect(await delivery).toContain('its thread has not answered for 20 s');
    }
    expect([started, terminated]).toEqual([2, 2]);
  });
});

describe('commands by Telegram', () => {
  it('status and ack are answered, and anything else is answered by the list of commands', async () => {
    const rig = new ChatRig().connect();
    api.type('/status');
    await rig.answered(/^equity 10,000$/);
    api.type('/ack@my_bot');
    await rig.answered(/^Acknowledged: halted$/);
    for (const text of ['/resume', '/buy BTCUSDT', 'hello']) {
      const before = api.sent.length;
      api.type(text);
      await vi.waitFor(() => {
        expect(api.sent.length).toBe(before + 1);
      });
      await rig.answered(/^\/status: the bot now/);
    }
    expect(rig.levels).toEqual([]);
  });

  it('a level is set once, by the button; the same button again is refused', async () => {
    const rig = new ChatRig().connect();
    api.type('/flatten');
    await rig.answered(/^flatten: every order is canceled and every position is closed/);
    expect(rig.levels).toEqual([]);
    const { button } = api;
    api.press(button);
    await rig.answered(/^Done: flatten/);
    api.press(button);
    await rig.answered(/^Refused: this button was pressed before/);
    expect(rig.levels).toEqual(['flatten by Telegram user 7']);
    expect(api.answers).toHaveLength(2);
  });

  it('a button expires after 60 s, and is refused from another user', async () => {
    const rig = new ChatRig({ users: [7, 8] }).connect();
    api.type('/pause');
    await rig.answered(/^pause:/);
    api.press(api.button, { user: 8 });
    await rig.answered(/^Refused: another user/);
    await rig.time.advance(BUTTON_MS + 1);
    api.press(api.button);
    await rig.answered(/^Refused: the button has expired/);
    expect(rig.levels).toEqual([]);
  });

  it('other users, other chats and commands from before the start get no answer', async () => {
    const rig = new ChatRig().connect();
    api.type('/status', { user: 8 });
    api.type('/status', { chat: 98 });
    api.type('/status', { date: Math.floor(Date.now() / 1_000) - 5 });
    api.press('nonce-1', { user: 8 });
    api.press('nonce-1', { chat: 7 });
    api.type('/ack');
    await rig.answered(/^Acknowledged/);
    expect(api.sent).toHaveLength(1);
  });

  it('a second program that reads the same bot is named in the log, once, and notices still leave', async () => {
    const rig = new ChatRig().connect();
    const other = new ChatRig().connect();
    await vi.waitFor(() => {
      const lines = [...rig.logger.lines, ...other.logger.lines].map(({ message }) => message);
      expect(lines.filter((line) => line.includes('(409)')).length).toBeGreaterThanOrEqual(1);
    }, 5_000);
    await rig.channel.deliver(NOTICE);
    expect(api.sent).toHaveLength(1);
    expect(rig.logger.lines.length).toBeLessThanOrEqual(1);
  });
});
