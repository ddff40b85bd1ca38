import { parentPort, workerData } from 'node:worker_threads';
import { isPublicAddress } from '../../io/net/public-address.js';
import { createUndiciHttp } from '../../io/net/undici-http.js';
import { TelegramClient } from './telegram-client.js';
import type { FromTelegram, TelegramSettings, ToTelegram } from './telegram-protocol.js';

/** The thread of Telegram. One connection waits for updates, another one sends. */

const settings = workerData as TelegramSettings;
const client = new TelegramClient({
  net: createUndiciHttp({
    connectionsPerOrigin: 2,
    ...(!settings.allowPrivate && { mayConnect: isPublicAddress }),
  }),
  settings,
  emit: (message: FromTelegram) => {
    parentPort?.postMessage(message);
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});
parentPort?.on('message', (message: ToTelegram) => {
  client.handle(message);
});
if (settings.users.length > 0) void client.poll();
