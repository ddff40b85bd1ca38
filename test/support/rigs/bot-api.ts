import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const TOKEN = '12345:stand-in';

export interface SentText {
  readonly chat_id: number;
  readonly text: string;
  readonly disable_notification?: boolean;
  readonly reply_markup?: {
    readonly inline_keyboard: readonly (readonly { readonly callback_data: string }[])[];
  };
}

interface WaitingPoll {
  readonly response: ServerResponse;
  readonly offset: number;
}

/** A stand-in of Telegram's Bot API: messages, updates by long polls, flood limits, one poller. */
export class BotApi {
  readonly sent: SentText[] = [];
  readonly answers: string[] = [];
  /** Seconds of `retry_after` of the next messages; each is used once. */
  readonly floods: number[] = [];
  /** Never answers a message. */
  isStuck = false;
  #updates: { readonly update_id: number }[] = [];
  #waiting: WaitingPoll | undefined;
  #ids = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const method = new RegExp(`^/bot${TOKEN}/(\\w+)$`).exec(request.url ?? '')?.[1];
        if (method === undefined) fail(response, 401, 'Unauthorized');
        else this.#onCall(method, JSON.parse(body === '' ? '{}' : body), response);
      });
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** A person types. `date`: seconds UTC. */
  type(text: string, { user = 7, chat = 99, date = Math.ceil(Date.now() / 1_000) + 1 } = {}): void {
    this.#push({ message: { message_id: 1, date, text, from: { id: user }, chat: { id: chat } } });
  }

  /** A person presses a button. */
  press(data: string, { user = 7, chat = 99 } = {}): void {
    const message = { message_id: 1, date: 1, chat: { id: chat } };
    this.#push({ callback_query: { id: `q${this.#ids}`, from: { id: user }, data, message } });
  }

  /** Data of the button of the newest message that has one. */
  get button(): string {
    const markup = this.sent.findLast((each) => each.reply_markup !== undefined)?.reply_markup;
    return markup?.inline_keyboard[0]?.[0]?.callback_data ?? '';
  }

  #push(update: object): void {
    this.#updates.push({ update_id: (this.#ids += 1), ...update });
    this.#serve();
  }

  #onCall(method: string, body: unknown, response: ServerResponse): void {
    if (method === 'sendMessage') this.#onMessage(body as SentText, response);
    else if (method === 'getUpdates') this.#onPoll(body as { offset?: number }, response);
    else {
      this.answers.push((body as { text: string }).text);
      reply(response, true);
    }
  }

  #onMessage(message: SentText, response: ServerResponse): void {
    if (this.isStuck) return;
    const flood = this.floods.shift();
    if (flood !== undefined) {
      fail(response, 429, `Too Many Requests: retry after ${flood}`, { retry_after: flood });
      return;
    }
    this.sent.push(message);
    reply(response, { message_id: this.sent.length, date: 1, chat: { id: message.chat_id } });
  }

  /** A newer poll ends the older one, as Telegram does. */
  #onPoll({ offset = 0 }: { offset?: number }, response: ServerResponse): void {
    if (this.#waiting !== undefined)
      fail(this.#waiting.response, 409, 'Conflict: terminated by other getUpdates request');
    const waiting = { response, offset };
    this.#waiting = waiting;
    response.on('close', () => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    });
    this.#serve();
  }

  #serve(): void {
    if (this.#waiting === undefined) return;
    const { offset, response } = this.#waiting;
    this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    if (this.#updates.length === 0) return;
    this.#waiting = undefined;
    reply(response, this.#updates);
  }
}

const json = (response: ServerResponse, status: number, value: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};
const reply = (response: ServerResponse, result: unknown): void => {
  json(response, 200, { ok: true, result });
};
const fail = (
  response: ServerResponse,
  code: number,
  description: string,
  parameters?: object,
): void => {
  json(response, code, { ok: false, error_code: code, description, parameters });
};
