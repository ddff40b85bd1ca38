import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { strategyWorkers } from '../../../src/strategy/isolation/strategy-worker.js';
import type { StartTelegramThread } from '../../../src/notify/telegram/telegram-protocol.js';
import { nodeTelegramThread } from '../../../src/notify/telegram/telegram-thread.js';
import type { StartThread } from '../../../src/strategy/isolation/strategy-thread.js';

/** A thread runs what is built (`npm test` sees to it), because it cannot run TypeScript. */
export const DIST_ENTRY = new URL(
  '../../../dist/src/strategy/isolation/worker-main.js',
  import.meta.url,
);

/** The daemon's threads, where there is a build. */
export const distThreads: StartThread | undefined = existsSync(fileURLToPath(DIST_ENTRY))
  ? strategyWorkers({ entry: DIST_ENTRY })
  : undefined;

const TELEGRAM_ENTRY = new URL(
  '../../../dist/src/notify/telegram/telegram-worker.js',
  import.meta.url,
);

/** The thread of Telegram, where there is a build. */
export const distTelegramThread: StartTelegramThread | undefined = existsSync(
  fileURLToPath(TELEGRAM_ENTRY),
)
  ? nodeTelegramThread(TELEGRAM_ENTRY)
  : undefined;
