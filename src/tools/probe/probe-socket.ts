import type { Cancel, Net, Scheduler, Socket } from '../../core/ports.js';
import { parseProbeJson, valueAt } from './probe-http.js';

const REPLY_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 20_000;

/** One stream connection with requests and replies. */
export class ProbeSocket {
  readonly #scheduler: Scheduler;
  readonly #socket: Socket;
  readonly #listeners = new Set<(message: unknown) => void>();
  #onClose: (reason: string) => void = () => undefined;
  #id = 0;
  /** The reason of the close; undefined while the connection is open. */
  closeReason: string | undefined;
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
        const message = parseProbeJson(text);
        for (const listener of [...this.#listeners]) listener(message);
      },
      onAlive: () => undefined,
      onClose: (reason) => {
        this.closeReason = reason;
        opened();
        this.#onClose(reason);
      },
    });
  }

  /** @returns the reply; undefined after the timeout */
  async request(method: string, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    await this.#opened;
    const id = ++this.#id;
    const [reply] = await this.#collectMessages(
      (message) => valueAt(message, 'id') === id,
      1,
      REPLY_TIMEOUT_MS,
      {
        id,
        method,
        ...fields,
      },
    );
    return reply;
  }

  /** Collects pushes of a stream until there are `count` of them, or until the timeout. */
  async collectPushes(
    stream: string,
    count: number,
    timeoutMs: number,
  ): Promise<readonly unknown[]> {
    const messages = await this.#collectMessages(
      (message) => valueAt(message, 'stream') === stream,
      count,
      timeoutMs,
    );
    return messages.map((message) => valueAt(message, 'data'));
  }

  /** Sends nothing. @returns whether the venue closed the connection within the time */
  waitForClose(timeoutMs: number): Promise<boolean> {
    if (this.closeReason !== undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#scheduler.after(timeoutMs, () => {
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

  #collectMessages(
    matches: (message: unknown) => boolean,
    count: number,
    timeoutMs: number,
    send?: Readonly<Record<string, unknown>>,
  ): Promise<readonly unknown[]> {
    return new Promise((resolve) => {
      const messages: unknown[] = [];
      let cancel: Cancel = () => undefined;
      const stopPinging = this.#startPinging();
      const listener = (message: unknown): void => {
        if (!matches(message)) return;
        messages.push(message);
        if (messages.length === count) done();
      };
      const done = (): void => {
        cancel();
        stopPinging();
        this.#listeners.delete(listener);
        resolve(messages);
      };
      cancel = this.#scheduler.after(timeoutMs, done);
      this.#listeners.add(listener);
      if (send !== undefined) this.#socket.send(JSON.stringify(send));
    });
  }

  /** The venue closes a silent connection after 40 s (interface: keepalive). */
  #startPinging(): Cancel {
    let cancel: Cancel = () => undefined;
    const again = (): void => {
      cancel = this.#scheduler.after(PING_INTERVAL_MS, () => {
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
