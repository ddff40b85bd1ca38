import { createHash } from 'node:crypto';

const DIGESTED_AT = 65_536;

/** What makes two runs the same goes into a hash; what a person may want to read is told as lines. */
export class RunTrace {
  readonly #now: () => number;
  readonly #hash = createHash('sha256');
  /** Not yet in the hash: to digest it in few pieces is cheaper. */
  #noted = '';
  #line: ((line: string) => void) | undefined;

  /** `now`: virtual ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Of all that was noted so far, in order. */
  get hash(): string {
    this.#digest();
    return this.#hash.copy().digest('hex');
  }

  to(line: (text: string) => void): void {
    this.#line = line;
  }

  note(text: string): void {
    this.#noted += text;
    if (this.#noted.length > DIGESTED_AT) this.#digest();
  }

  trace(what: string, text: string): void {
    this.#line?.(`${this.#now().toFixed(0).padStart(9)} ${what.padEnd(8)} ${text}`);
  }

  #digest(): void {
    this.#hash.update(this.#noted);
    this.#noted = '';
  }
}
