/** Answers with the compiled text, or undefined: whoever asked compiles it himself, and tells. */
type Reply = (code: string | undefined) => void;

interface Text {
  code?: string;
  /** Who compiles it. */
  owner: object;
  waiting: readonly { readonly who: object; readonly reply: Reply }[];
}

/**
 * The first thread that needs a module compiles it, and the others are given what it made: a compiler
 * takes longer to load than all strategies together, and every thread would load its own.
 */
export class SharedCompilation {
  readonly #texts = new Map<string, Text>();
  readonly #loading = new Set<object>();

  /** A thread begins to load. */
  began(who: object): void {
    this.#loading.add(who);
  }

  /** @param source all that the compiled text depends on */
  ask(who: object, source: string, reply: Reply): void {
    const text = this.#texts.get(source);
    if (text === undefined) {
      this.#texts.set(source, { owner: who, waiting: [] });
      reply(undefined);
    } else if (text.code === undefined) text.waiting = [...text.waiting, { who, reply }];
    else reply(text.code);
  }

  made(source: string, code: string): void {
    const text = this.#texts.get(source);
    if (text === undefined) return;
    text.code = code;
    for (const { reply } of text.waiting) reply(code);
    text.waiting = [];
  }

  /** A thread has loaded, or has ended: what it has not made the next who waits for it makes. */
  ended(who: object): void {
    if (!this.#loading.delete(who)) return;
    for (const [source, text] of this.#texts) {
      text.waiting = text.waiting.filter((each) => each.who !== who);
      if (text.owner === who && text.code === undefined) this.#handOver(source, text);
    }
    if (this.#loading.size === 0) this.#texts.clear();
  }

  #handOver(source: string, text: Text): void {
    const [next, ...others] = text.waiting;
    if (next === undefined) {
      this.#texts.delete(source);
      return;
    }
    text.owner = next.who;
    text.waiting = others;
    next.reply(undefined);
  }
}
