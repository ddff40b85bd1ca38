import type { Cancel, Logger, Scheduler } from '../../core/ports.js';
import type { AlertLevel } from '../alert/alert-kind.js';
import { noticeText, type Notice } from '../alert/notice.js';
import { DeliveryError, type NotifyChannel } from '../channel/channel.js';
import type { TelegramDialogue } from './telegram-dialogue.js';
import type {
  FromTelegram,
  StartTelegramThread,
  TelegramSettings,
  TelegramText,
  TelegramThread,
  TelegramUpdate,
} from './telegram-protocol.js';

/** Real ms after which a thread without an answer is replaced. */
export const THREAD_TIMEOUT_MS = 20_000;
/** Pause before a thread that has ended is started again, real ms. */
const RESTART_MS = 5_000;
/** Updates that wait for their answer; more are dropped. */
const MAX_UPDATES = 10;

export interface TelegramChannelParts {
  readonly settings: TelegramSettings;
  readonly levels: ReadonlySet<AlertLevel>;
  readonly startThread: StartTelegramThread;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

interface PendingText {
  readonly resolve: () => void;
  readonly reject: (error: DeliveryError) => void;
  readonly cancelTimeout: Cancel;
}

/**
 * Telegram, behind a thread of its own: a library that hangs costs the bot that trades nothing. A thread that
 * does not answer, or ends, is replaced by the next notice.
 */
export class TelegramChannel implements NotifyChannel {
  readonly name = 'telegram';
  readonly levels: ReadonlySet<AlertLevel>;
  readonly #parts: TelegramChannelParts;
  readonly #pending = new Map<number, PendingText>();
  #thread: TelegramThread | undefined;
  #dialogue: TelegramDialogue | undefined;
  #isClosed = false;
  #texts = 0;
  #updates = 0;

  constructor(parts: TelegramChannelParts) {
    this.levels = parts.levels;
    this.#parts = parts;
  }

  /** Answers commands from now on. */
  connect(dialogue: TelegramDialogue): void {
    this.#dialogue = dialogue;
    this.#running();
  }

  deliver(notice: Notice): Promise<void> {
    return this.#send({ text: noticeText(notice), silent: notice.silent, buttons: [] });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end('the run ends');
  }

  #send(text: TelegramText): Promise<void> {
    const id = (this.#texts += 1);
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#parts.scheduler.after(THREAD_TIMEOUT_MS, () => {
        void this.#end(`its thread has not answered for ${THREAD_TIMEOUT_MS / 1_000} s`);
      });
      this.#pending.set(id, { resolve, reject, cancelTimeout });
      this.#running().post({ type: 'send', id, ...text });
    });
  }

  #running(): TelegramThread {
    const { startThread, settings } = this.#parts;
    if (this.#thread !== undefined) return this.#thread;
    const thread: TelegramThread = startThread(settings, {
      onMessage: (message) => {
        this.#onMessage(message);
      },
      onEnded: (reason) => {
        if (this.#thread === thread) void this.#restart(`its thread has ended: ${reason}`);
      },
    });
    this.#thread = thread;
    return thread;
  }

  #onMessage(message: FromTelegram): void {
    if (message.type === 'update') void this.#onUpdate(message.update);
    else if (message.type === 'problem')
      this.#parts.logger.warn({}, `notify: telegram: ${message.text}`);
    else {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      pending?.cancelTimeout();
      if (message.type === 'sent') pending?.resolve();
      else pending?.reject(new DeliveryError(message.error, message));
    }
  }

  async #onUpdate(update: TelegramUpdate): Promise<void> {
    if (this.#dialogue === undefined || this.#updates >= MAX_UPDATES) return;
    this.#updates += 1;
    try {
      const reply = await this.#dialogue.handle(update);
      const { callbackId } = update.kind === 'button' ? update : {};
      if (callbackId !== undefined)
        this.#running().post({ type: 'answer', callbackId, text: reply.text });
      await this.#send({ ...reply, silent: true });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#parts.logger.warn({}, `notify: telegram: a command was not answered: ${text}`);
    } finally {
      this.#updates -= 1;
    }
  }

  /** Commands need a thread that runs; without them the next notice starts it. */
  async #restart(reason: string): Promise<void> {
    this.#parts.logger.warn({}, `notify: telegram: ${reason}`);
    await this.#end(reason);
    if (this.#dialogue === undefined || this.#isClosed) return;
    this.#parts.scheduler.after(RESTART_MS, () => {
      if (!this.#isClosed) this.#running();
    });
  }

  async #end(reason: string): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    for (const { reject, cancelTimeout } of this.#pending.values()) {
      cancelTimeout();
      reject(new DeliveryError(reason));
    }
    this.#pending.clear();
    await thread?.terminate();
  }
}
