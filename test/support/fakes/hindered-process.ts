import {
  TransportError,
  type HttpRequest,
  type HttpResponse,
  type Net,
  type Scheduler,
  type Socket,
  type SocketHandlers,
} from '../../../src/core/ports.js';
import { FakeProcess } from './fake-process.js';

/** An answer in place of the venue's; `refused`: the connection is, and no byte leaves. */
export type Instead = HttpResponse | 'refused' | undefined;

/** A process between whose requests and the venue something may stand. */
export class HinderedProcess extends FakeProcess {
  instead: (request: HttpRequest) => Instead = () => undefined;
  /** Frames of the streams that arrive; default: every one. */
  passes: (frame: string) => boolean = () => true;
  /** Open connections of the streams, each with the call that breaks it. */
  readonly #connections = new Set<() => void>();
  #isOffline = false;
  /** Work that waits for the end of a sleep; absent: it is awake. */
  #asleep: (() => void)[] | undefined;

  /** The process does not run: after SIGSTOP, or while the machine sleeps. */
  sleep(): void {
    this.#asleep ??= [];
  }

  wake(): void {
    const waiting = this.#asleep ?? [];
    this.#asleep = undefined;
    for (const run of waiting) run();
  }

  override scheduler(inner: Scheduler): Scheduler {
    const scheduler = super.scheduler(inner);
    return {
      after: (delayMs, run) =>
        scheduler.after(delayMs, () => {
          this.#whenAwake(run);
        }),
    };
  }

  #whenAwake(run: () => void): void {
    if (this.#asleep === undefined) run();
    else this.#asleep.push(run);
  }

  /** No name resolves: connections break, and none is made, until `goOnline`. */
  goOffline(): void {
    this.#isOffline = true;
    for (const breakConnection of [...this.#connections]) breakConnection();
  }

  goOnline(): void {
    this.#isOffline = false;
  }

  override net(inner: Net): Net {
    const net = super.net(inner);
    return {
      request: (request) => {
        const instead = this.#isOffline ? 'refused' : this.instead(request);
        if (instead === undefined) return this.#awake(net.request(request));
        if (instead !== 'refused') return Promise.resolve(instead);
        return Promise.reject(refusal());
      },
      connect: (url, handlers) => this.#connect(net, url, handlers),
    };
  }

  async #awake(answer: Promise<HttpResponse>): Promise<HttpResponse> {
    const response = await answer;
    await new Promise<void>((resolve) => {
      this.#whenAwake(resolve);
    });
    return response;
  }

  #connect(net: Net, url: string, handlers: SocketHandlers): Socket {
    if (this.#isOffline) {
      queueMicrotask(() => {
        handlers.onClose(refusal().message);
      });
      return { send: () => undefined, ping: () => undefined, close: () => undefined };
    }
    const forget = (): void => void this.#connections.delete(breakConnection);
    const socket = net.connect(url, {
      ...handlers,
      onMessage: (text) => {
        if (!this.passes(text)) return;
        this.#whenAwake(() => {
          handlers.onMessage(text);
        });
      },
      onClose: (reason) => {
        forget();
        handlers.onClose(reason);
      },
    });
    const breakConnection = (): void => {
      forget();
      socket.close();
      handlers.onClose('the connection broke');
    };
    this.#connections.add(breakConnection);
    return socket;
  }
}

/** As the operating system words a name that does not resolve. */
const refusal = (): TransportError =>
  new TransportError('getaddrinfo ENOTFOUND api.example.com (ENOTFOUND)', { sent: false });
