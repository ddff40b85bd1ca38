import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BotApi, TOKEN } from '../support/rigs/bot-api.js';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

let rig: DaemonRig;
let api: BotApi;
beforeAll(async () => {
  rig = await DaemonRig.open();
  api = await new BotApi().listen();
  const token = join(rig.folder.path, 'token');
  writeFileSync(token, `${TOKEN}\n`);
  chmodSync(token, 0o600);
  writeFileSync(
    rig.config,
    `${rig.configText('bot')}notify:
  telegram: { url: '${api.url}', allow_private: true, token_file: token, chat: 99, users: [7], commands: true, poll_seconds: 1 }
`,
  );
}, 60_000);
afterAll(async () => {
  api.close();
  await rig.close();
});

const answered = (pattern: RegExp): Promise<void> =>
  vi.waitFor(
    () => {
      expect(api.sent.map(({ text }) => text).join('\n')).toMatch(pattern);
    },
    { timeout: 30_000, interval: 100 },
  );

it('a chat sees the daemon, pauses it behind a button, and cannot resume it', async () => {
  const daemon = rig.start();
  await rig.trading();
  api.type('/status');
  await answered(/equity [\d.]+ USDT; mode TRADING/);
  api.type('/pause');
  await answered(/^pause: entries stop/m);
  expect((await rig.status()).kill).toBeNull();
  const { button } = api;
  api.press(button);
  await answered(/^Done: pause/m);
  expect((await rig.status()).kill).toMatchObject({ level: 'pause' });
  api.press(button);
  await answered(/^Refused: this button was pressed before/m);
  api.type('/resume');
  await answered(/^\/status: the bot now/m);
  expect((await rig.status()).kill).toMatchObject({ level: 'pause' });
  api.isStuck = true;
  daemon.press();
  const { stderr } = await daemon.ended;
  expect(stderr).not.toContain(TOKEN);
}, 180_000);
