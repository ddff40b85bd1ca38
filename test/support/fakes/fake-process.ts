import type {
  AppendFile,
  Cancel,
  Files,
  HttpRequest,
  Net,
  Scheduler,
} from '../../../src/core/ports.js';

/** Where a process may be stopped dead. */
export interface CrashPoints {
  /** Before these bytes of a log reach the file. */
  readonly atAppend?: (path: string, text: string) => boolean;
  /** In the middle of a write: how many of its bytes reach the file, or undefined where it lives on. */
  readonly tornAt?: (path: string, text: string) => number | undefined;
  /** Before the request leaves. */
  readonly beforeRequest?: (request: HttpRequest) => boolean;
  /** After the venue has it, before any answer. */
  readonly afterRequest?: (request: HttpRequest) => boolean;
  /** With the answer read, before anything is made of it. */
  readonly atResponse?: (request: HttpRequest) => boolean;
}

/**
 * One process as the world sees it: its timers, disk and network end with it. After `kill` nothing
 * that it had begun goes on, and nothing comes back to it, as after `kill -9`.
 */
export class FakeProcess {
  readonly #crashPoints: CrashPoints;
  readonly #decoder = new TextDecoder('latin1');
  alive = true;
  /** What killed it. */
  cause = '';

  constructor(crashPoints: CrashPoints = {}) {
    this.#crashPoints = crashPoints;
  }

  kill(cause: string): void {
    if (!this.alive) return;
    this.alive = false;
    this.cause = cause;
  }

  scheduler(inner: Scheduler): Scheduler {
    return {
      after: (delayMs: number, run: () => void): Cancel =>
        inner.after(delayMs, () => {
          if (this.alive) run();
        }),
    };
  }

  net(inner: Net): Net {
    return {
      request: (request) => {
        if (this.#crashPoints.beforeRequest?.(request) === true) this.kill('before the bytes left');
        if (!this.alive) return NEVER;
        const answer = this.#unlessDead(inner.request(request));
        if (this.#crashPoints.afterRequest?.(request) === true) this.kill('after the bytes left');
        return answer.then((response) => {
          if (this.#crashPoints.atResponse?.(request) === true) this.kill('with the answer read');
          return this.alive ? response : NEVER;
        });
      },
      connect: (url, handlers) => {
        const socket = inner.connect(url, {
          onOpen: () => {
            if (this.alive) handlers.onOpen();
            else socket.close();
          },
          onMessage: (text) => {
            if (this.alive) handlers.onMessage(text);
            else socket.close();
          },
          onAlive: () => {
            if (this.alive) handlers.onAlive();
          },
          onClose: (reason) => {
            if (this.alive) handlers.onClose(reason);
          },
        });
        return socket;
      },
    };
  }

  files(inner: Files): Files {
    return {
      read: (path) => this.#do(() => inner.read(path)),
      replace: (path, bytes) => this.#do(() => inner.replace(path, bytes)),
      createExclusive: (path, bytes) => this.#do(() => inner.createExclusive(path, bytes)),
      writeAt: (path, offset, bytes) => this.#do(() => inner.writeAt(path, offset, bytes)),
      openAppend: (path) =>
        this.#do(async () => this.#appendFile(path, await inner.openAppend(path))),
      truncate: (path, size) => this.#do(() => inner.truncate(path, size)),
      list: (directory) => this.#do(() => inner.list(directory)),
      makeDirectory: (path) => this.#do(() => inner.makeDirectory(path)),
      exists: (path) => this.#do(() => inner.exists(path)),
      remove: (path) => this.#do(() => inner.remove(path)),
    };
  }

  #appendFile(path: string, inner: AppendFile): AppendFile {
    return {
      initialSize: inner.initialSize,
      append: (bytes) => {
        const text = this.#decoder.decode(bytes);
        if (this.#crashPoints.atAppend?.(path, text) === true) this.kill(`before it wrote ${path}`);
        const whole = this.alive ? this.#crashPoints.tornAt?.(path, text) : undefined;
        if (whole !== undefined) {
          void inner.append(bytes.subarray(0, whole));
          this.kill(`while it wrote ${path}`);
        }
        return this.#do(() => inner.append(bytes));
      },
      sync: () => this.#do(() => inner.sync()),
      close: () => this.#do(() => inner.close()),
    };
  }

  #do<T>(operation: () => Promise<T>): Promise<T> {
    return this.alive ? this.#unlessDead(operation()) : NEVER;
  }

  /** The result, if the process still runs. */
  #unlessDead<T>(promise: Promise<T>): Promise<T> {
    return promise.then(
      (value) => (this.alive ? value : NEVER),
      (error: unknown) => {
        if (this.alive) throw error;
        return NEVER;
      },
    );
  }
}

const NEVER = new Promise<never>(() => undefined);
