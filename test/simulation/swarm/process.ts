import type {
  AppendFile,
  Cancel,
  Clock,
  Files,
  HttpRequest,
  Net,
  Scheduler,
  Socket,
  SocketHandlers,
} from '../../../src/core/ports.js';

/** Where a process stands when it does something to the world, or the world to it. */
export type Boundary =
  | { readonly kind: 'append'; readonly path: string; readonly bytes: Uint8Array }
  /** A file that is written at once, before and after. */
  | { readonly kind: 'write' | 'written'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: 'sync' | 'synced' | 'file'; readonly path: string }
  /** Before the bytes leave, after they left, with the answer read. */
  | { readonly kind: 'request' | 'sent' | 'answer'; readonly request: HttpRequest };

export interface ProcessOptions {
  readonly time: Clock & Scheduler;
  /** true: the process ends here, dead. */
  readonly crashesAt: (boundary: Boundary) => boolean;
  /** What the journal and the trace are told. */
  readonly onBoundary: (boundary: Boundary) => void;
}

/**
 * One process: its clock, timers, disk and network end with it, as after `kill -9`. It can be stopped
 * for a while (SIGSTOP, a blocked event loop): what would reach it waits, in order.
 */
export class SimProcess {
  readonly #options: ProcessOptions;
  readonly #waiting: (() => void)[] = [];
  #frozen = false;
  #utcOffsetMs = 0;
  alive = true;
  /** What killed it. */
  cause = '';
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  kill(cause: string): void {
    if (!this.alive) return;
    this.alive = false;
    this.cause = cause;
    this.#waiting.length = 0;
    this.#resolveEnded();
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Somebody sets the wall clock. */
  stepClock(byMs: number): void {
    this.#utcOffsetMs += byMs;
  }

  clock(): Clock {
    const { time } = this.#options;
    return {
      monotonicMs: () => time.monotonicMs(),
      utcMs: () => time.utcMs() + this.#utcOffsetMs,
    };
  }

  scheduler(): Scheduler {
    const { time } = this.#options;
    return {
      after: (delayMs: number, run: () => void): Cancel => {
        let canceled = false;
        const cancel = time.after(delayMs, () => {
          this.#meet(() => {
            if (!canceled) run();
          });
        });
        return () => {
          canceled = true;
          cancel();
        };
      },
    };
  }

  net(inner: Net): Net {
    return {
      request: (request) => {
        if (!this.#reachBoundary({ kind: 'request', request })) return NEVER;
        const answer = this.#unlessDead(inner.request(request), { kind: 'answer', request });
        this.#reachBoundary({ kind: 'sent', request });
        return this.alive ? answer : NEVER;
      },
      connect: (url, handlers) => this.#connect(inner, url, handlers),
    };
  }

  files(inner: Files): Files {
    const change = <T>(path: string, operation: () => Promise<T>): Promise<T> =>
      this.#reachBoundary({ kind: 'file', path }) ? this.#unlessDead(operation()) : NEVER;
    const write = <T>(path: string, bytes: Uint8Array, operation: () => Promise<T>): Promise<T> => {
      if (!this.#reachBoundary({ kind: 'write', path, bytes })) return NEVER;
      return this.#unlessDead(operation(), { kind: 'written', path, bytes });
    };
    const read = <T>(operation: () => Promise<T>): Promise<T> =>
      this.alive ? this.#unlessDead(operation()) : NEVER;
    return {
      read: (path) => read(() => inner.read(path)),
      exists: (path) => read(() => inner.exists(path)),
      list: (directory) => read(() => inner.list(directory)),
      makeDirectory: (path) => change(path, () => inner.makeDirectory(path)),
      replace: (path, bytes) => write(path, bytes, () => inner.replace(path, bytes)),
      createExclusive: (path, bytes) => change(path, () => inner.createExclusive(path, bytes)),
      writeAt: (path, offset, bytes) =>
        write(path, bytes, () => inner.writeAt(path, offset, bytes)),
      truncate: (path, size) => change(path, () => inner.truncate(path, size)),
      remove: (path) => change(path, () => inner.remove(path)),
      openAppend: (path) =>
        change(path, async () => this.#appendFile(path, await inner.openAppend(path))),
    };
  }

  #appendFile(path: string, inner: AppendFile): AppendFile {
    return {
      initialSize: inner.initialSize,
      append: (bytes) =>
        this.#reachBoundary({ kind: 'append', path, bytes })
          ? this.#unlessDead(inner.append(bytes))
          : NEVER,
      sync: () => {
        if (!this.#reachBoundary({ kind: 'sync', path })) return NEVER;
        return this.#unlessDead(inner.sync(), { kind: 'synced', path });
      },
      close: () => (this.alive ? this.#unlessDead(inner.close()) : NEVER),
    };
  }

  #connect(inner: Net, url: string, handlers: SocketHandlers): Socket {
    if (!this.alive) return DEAD_SOCKET;
    const socket = inner.connect(url, {
      onOpen: () => {
        if (this.alive) this.#meet(handlers.onOpen);
        else socket.close();
      },
      onMessage: (text) => {
        if (this.alive) this.#meet(() => handlers.onMessage(text));
        else socket.close();
      },
      onAlive: () => {
        this.#meet(handlers.onAlive);
      },
      onClose: (reason) => {
        this.#meet(() => handlers.onClose(reason));
      },
    });
    return socket;
  }

  /** @returns whether it still lives after it */
  #reachBoundary(boundary: Boundary): boolean {
    if (!this.alive) return false;
    if (this.#options.crashesAt(boundary)) this.kill(described(boundary));
    if (this.alive) this.#options.onBoundary(boundary);
    return this.alive;
  }

  /** Something reaches the process: now, once it goes on, or never. */
  #meet(run: () => void): void {
    if (!this.alive) return;
    if (this.#frozen) this.#waiting.push(run);
    else run();
  }

  /** The result, if somebody is left to read it. */
  #unlessDead<T>(promise: Promise<T>, at?: Boundary): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      promise.then(
        (value) => {
          this.#meet(() => {
            if (at === undefined || this.#reachBoundary(at)) resolve(value);
          });
        },
        (error: unknown) => {
          this.#meet(() => {
            reject(error as Error);
          });
        },
      );
    });
  }
}

function described(boundary: Boundary): string {
  if ('path' in boundary) return `${boundary.kind} ${boundary.path}`;
  const { method, url } = boundary.request;
  return `${boundary.kind} ${method} ${url.replace(/^\w+:\/\/[^/]+/, '')}`;
}

const NEVER = new Promise<never>(() => undefined);
const DEAD_SOCKET: Socket = {
  send: () => undefined,
  ping: () => undefined,
  close: () => undefined,
};
