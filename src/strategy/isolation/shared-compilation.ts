/** Receives the compiled text; undefined: the requesting thread must compile it and report it. */
type CompileCallback = (code: string | undefined) => void;

interface CompilationEntry {
  code?: string;
  /** The thread that compiles it. */
  compiler: object;
  waiting: readonly { readonly thread: object; readonly reply: CompileCallback }[];
}

/**
 * The first thread that needs a module compiles it, and the others receive its result: a compiler takes
 * longer to load than all strategies together, and every thread would load its own.
 */
export class SharedCompilation {
  readonly #entries = new Map<string, CompilationEntry>();
  readonly #loading = new Set<object>();

  /** A thread starts to load. */
  startLoading(thread: object): void {
    this.#loading.add(thread);
  }

  /** @param source every input of the compiled text */
  request(thread: object, source: string, reply: CompileCallback): void {
    const entry = this.#entries.get(source);
    if (entry === undefined) {
      this.#entries.set(source, { compiler: thread, waiting: [] });
      reply(undefined);
    } else if (entry.code === undefined) entry.waiting = [...entry.waiting, { thread, reply }];
    else reply(entry.code);
  }

  complete(source: string, code: string): void {
    const entry = this.#entries.get(source);
    if (entry === undefined) return;
    entry.code = code;
    for (const { reply } of entry.waiting) reply(code);
    entry.waiting = [];
  }

  /** A thread has loaded, or has ended: the next waiting thread takes over its unfinished modules. */
  finishLoading(thread: object): void {
    if (!this.#loading.delete(thread)) return;
    for (const [source, text] of this.#entries) {
      text.waiting = text.waiting.filter((each) => each.thread !== thread);
      if (text.compiler === thread && text.code === undefined) this.#reassign(source, text);
    }
    if (this.#loading.size === 0) this.#entries.clear();
  }

  #reassign(source: string, text: CompilationEntry): void {
    const [next, ...others] = text.waiting;
    if (next === undefined) {
      this.#entries.delete(source);
      return;
    }
    text.compiler = next.thread;
    text.waiting = others;
    next.reply(undefined);
  }
}
