import type { Cancel, Net, Scheduler, Socket } from '../../core/ports.js';
import { under } from './probe-wire.js';

const REPLY_WITHIN_MS = 10_000;
const PING_EVERY_MS = 20_000;

/** One stream connection, as a conversation. */
export class ProbeSocket {
  readonly #scheduler: Scheduler;
  readonly #socket: Socket;
  readonly #listeners = new Set<(message: unknown) => void>();
  #onClose: (reason: string) => void = () => undefined;
  #id = 0;
  /** Why it ended; undefined while it is open. */
  closedBy: string | undefined;
  readonly #opened: Promise<void>;

  constructor(net: Net, scheduler: Scheduler, url: string) {
    this.#scheduler = scheduler;
    let opened: () => void = () => undefined;
    this.#opened = new Promise((resolve) => (opened = resolve));
    this.#socket = net.connect(url, {
      onOpen: () => {
        opened();
      },
      onMessage: (text) => {
        const message = parsed(text);
        for (const listener of [...this.#listeners]) listener(message);
      },
      onAlive: () => undefined,
      onClose: (reason) => {
        this.closedBy = reason;
        opened();
        this.#onClose(reason);
      },
    });
  }

  /** @returns the reply, or undefined where none came */
  async request(method: string, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    await this.#opened;
    const id = ++this.#id;
    const [reply] = await this.#gather(
      (message) => under(message, 'id') === id,
      1,
      REPLY_WITHIN_MS,
      {
        id,
        method,
        ...fields,
      },
    );
    return reply;
  }

  /** Pushes of a stream, so many, or those that came within the time. */
  async pushes(stream: string, count: number, withinMs: number): Promise<readonly unknown[]> {
    const messages = await this.#gather(
      (message) => under(message, 'stream') === stream,
      count,
      withinMs,
    );
    return messages.map((message) => under(message, 'data'));
  }

  /** Says nothing. @returns whether the venue ended it within the time */
  closedWithin(withinMs: number): Promise<boolean> {
    if (this.closedBy !== undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#scheduler.after(withinMs, () => {
        resolve(false);
      });
      this.#onClose = () => {
        cancel();
        resolve(true);
      };
    });
  }

  close(): void {
    this.#socket.close();
  }

  #gather(
    wanted: (message: unknown) => boolean,
    count: number,
    withinMs: number,
    send?: Readonly<Record<string, unknown>>,
  ): Promise<readonly unknown[]> {
    return new Promise((resolve) => {
      const messages: unknown[] = [];
      let cancel: Cancel = () => undefined;
      const stopPinging = this.#ping();
      const listener = (message: unknown): void => {
        if (!wanted(message)) return;
        messages.push(message);
        if (messages.length === count) done();
      };
      const done = (): void => {
        cancel();
        stopPinging();
        this.#listeners.delete(listener);
        resolve(messages);
      };
      cancel = this.#scheduler.after(withinMs, done);
      this.#listeners.add(listener);
      if (send !== undefined) this.#socket.send(JSON.stringify(send));
    });
  }

  /** Who only listens is taken for gone after 40 s (interface, Keepalive). */
  #ping(): Cancel {
    let cancel: Cancel = () => undefined;
    const again = (): void => {
      cancel = this.#scheduler.after(PING_EVERY_MS, () => {
        this.#socket.ping();
        again();
      });
    };
    again();
    return () => {
      cancel();
    };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
