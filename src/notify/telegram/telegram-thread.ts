import { Worker } from 'node:worker_threads';
import type { FromTelegram, StartTelegramThread } from './telegram-protocol.js';

const ENTRY = new URL('./telegram-worker.js', import.meta.url);
const MEMORY_MB = 128;

/** A thread of Node. It gets no environment, and does not keep the process alive. */
export const nodeTelegramThread =
  (entry: URL = ENTRY): StartTelegramThread =>
  (settings, { onMessage, onEnded }) => {
    const worker = new Worker(entry, {
      workerData: settings,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.unref();
    worker.on('message', (message: FromTelegram) => {
      onMessage(message);
    });
    worker.on('error', (error) => {
      onEnded(error instanceof Error ? error.message : String(error));
    });
    worker.on('exit', (code) => {
      onEnded(`exit code ${code}`);
    });
    return {
      post: (message) => {
        worker.postMessage(message);
      },
      terminate: async () => {
        await worker.terminate();
      },
    };
  };
