import { z } from 'zod';
import { TransportError, type HttpResponse, type Net } from '../../core/ports.js';
import { allowedUpdate, updatesFrom } from './telegram-updates.js';
import type {
  FromTelegram,
  TelegramSettings,
  TelegramText,
  ToTelegram,
} from './telegram-protocol.js';

/** Real ms of a request, beside the time that it may wait for updates. */
const REQUEST_MS = 10_000;
/** A chat takes about one message a second (Telegram's FAQ for bots). */
const SPACING_MS = 1_000;
/** Characters of a message, and of the answer to a button. */
const MAX_TEXT = 4_096;
const MAX_ANSWER = 200;
/** Pause after a failed request for updates. */
const POLL_RETRY_MS = 5_000;
/** Pause after a 409: the other program may be an earlier run that is just ending. */
const CONFLICT_RETRY_MS = 30_000;

export interface TelegramClientParts {
  /** No redirect: the token is part of the address. */
  readonly net: Pick<Net, 'request'>;
  readonly settings: TelegramSettings;
  readonly emit: (message: FromTelegram) => void;
  /** Real ms. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** A refusal of the Bot API, or no answer. Its text has neither the address nor the token. */
class TelegramError extends Error {
  override readonly name = 'TelegramError';
  /** Undefined: no answer. */
  readonly code: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, code?: number, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Talks to the Bot API. Lives in its own thread, and knows nothing of the bot that trades. */
export class TelegramClient {
  readonly #parts: TelegramClientParts;
  #sending: Promise<void> = Promise.resolve();
  #isStopped = false;
  #offset = 0;
  #problem = '';

  constructor(parts: TelegramClientParts) {
    this.#parts = parts;
  }

  handle(message: ToTelegram): void {
    if (message.type === 'answer') void this.#answer(message);
    else this.#sending = this.#sending.then(() => this.#send(message));
  }

  /** Reads commands until `stop`. */
  async poll(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#readUpdates();
        this.#problem = '';
      } catch (error) {
        if (this.#isStopped) return;
        await this.#parts.sleep(this.#onPollFailed(error));
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #send({ id, ...text }: TelegramText & { readonly id: number }): Promise<void> {
    const { chat } = this.#parts.settings;
    try {
      await this.#call('sendMessage', {
        chat_id: chat,
        text: text.text.slice(0, MAX_TEXT),
        disable_notification: text.silent,
        link_preview_options: { is_disabled: true },
        ...(text.buttons.length > 0 && {
          reply_markup: {
            inline_keyboard: [
              text.buttons.map(({ text: label, data }) => ({ text: label, callback_data: data })),
            ],
          },
        }),
      });
      this.#parts.emit({ type: 'sent', id });
    } catch (error) {
      this.#parts.emit({ type: 'failed', id, ...failureOf(error) });
    }
    await this.#parts.sleep(SPACING_MS);
  }

  /** Without an answer the button only spins: nothing depends on it. */
  async #answer(answer: { readonly callbackId: string; readonly text: string }): Promise<void> {
    try {
      const { callbackId, text } = answer;
      await this.#call('answerCallbackQuery', {
        callback_query_id: callbackId,
        text: text.slice(0, MAX_ANSWER),
      });
    } catch (error) {
      this.#report(`a pressed button could not be answered: ${failureOf(error).error}`);
    }
  }

  async #readUpdates(): Promise<void> {
    const { pollSeconds } = this.#parts.settings;
    const body = {
      offset: this.#offset,
      timeout: pollSeconds,
      limit: 100,
      allowed_updates: ['message', 'callback_query'],
    };
    const updates = updatesFrom(await this.#call('getUpdates', body, pollSeconds * 1_000));
    for (const update of updates) {
      this.#offset = Math.max(this.#offset, update.update_id + 1);
      const allowed = allowedUpdate(update, this.#parts.settings);
      if (allowed !== undefined) this.#parts.emit({ type: 'update', update: allowed });
    }
    // A server that does not wait must not be asked in a tight loop.
    if (pollSeconds === 0 || updates.length === 0) await this.#parts.sleep(SPACING_MS);
  }

  /** @returns `result` of the answer. @throws TelegramError */
  async #call(method: string, body: object, waitMs = 0): Promise<unknown> {
    const { net, settings } = this.#parts;
    const response = await net
      .request({
        method: 'POST',
        url: `${settings.url.replace(/\/+$/, '')}/bot${settings.token}/${method}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        timeoutMs: REQUEST_MS + waitMs,
      })
      .catch((error: unknown) => {
        const text = error instanceof TransportError ? error.message : 'the request failed';
        throw new TelegramError(`the Bot API cannot be reached: ${text}`);
      });
    return resultOf(response);
  }

  /** @returns real ms until the next request */
  #onPollFailed(error: unknown): number {
    const { error: text, retryAfterMs } = failureOf(error);
    const code = error instanceof TelegramError ? error.code : undefined;
    this.#report(
      code === 409
        ? 'another program reads the commands of the same bot (409): give each of them a bot of its own; notices still leave'
        : `commands cannot be read: ${text}`,
    );
    return retryAfterMs ?? (code === 409 ? CONFLICT_RETRY_MS : POLL_RETRY_MS);
  }

  /** Once, until it changes. */
  #report(text: string): void {
    if (text === this.#problem) return;
    this.#problem = text;
    this.#parts.emit({ type: 'problem', text });
  }
}

type Failure = Pick<
  Extract<FromTelegram, { type: 'failed' }>,
  'error' | 'isPermanent' | 'retryAfterMs'
>;

function failureOf(error: unknown): Failure {
  if (!(error instanceof TelegramError))
    return { error: String(error), isPermanent: false, retryAfterMs: undefined };
  const { code, message, retryAfterMs } = error;
  const isPermanent =
    code !== undefined && code >= 300 && code < 500 && code !== 429 && code !== 409;
  return { error: message, isPermanent, retryAfterMs };
}

const answerSchema = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string(),
    parameters: z.object({ retry_after: z.number().min(0).optional() }).optional(),
  }),
]);

/** @throws TelegramError */
function resultOf({ status, body }: HttpResponse): unknown {
  const parsed = answerSchema.safeParse(jsonOf(body));
  if (!parsed.success)
    throw new TelegramError(`the Bot API answers ${status} with another text`, status);
  const answer = parsed.data;
  if (answer.ok) return answer.result;
  const { error_code: code, description, parameters } = answer;
  const seconds = parameters?.retry_after;
  throw new TelegramError(
    `${code} ${description}${adviceOf(code)}`,
    code,
    seconds === undefined ? undefined : seconds * 1_000,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function adviceOf(code: number): string {
  if (code === 401 || code === 404)
    return ': put the token that @BotFather shows into notify.telegram.token_file';
  if (code === 400 || code === 403)
    return ': compare notify.telegram.chat with the chat, and send the bot a message there first';
  return '';
}
