/** Lines of a stream of text. A peer cannot make it hold more than one line. */
export class LineBuffer {
  readonly #maxLength: number;
  #partial = '';

  /** @param maxLength characters of a line */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** @returns the lines that the text completes; undefined: a line is too long */
  push(text: string): readonly string[] | undefined {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop() ?? '';
    const isTooLong = (line: string): boolean => line.length > this.#maxLength;
    return lines.some(isTooLong) || isTooLong(this.#partial) ? undefined : lines;
  }
}
