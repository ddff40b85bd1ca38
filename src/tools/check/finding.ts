/** A fault at a place in a strategy's code. */
export interface Finding {
  /** `file`, `file:line` or `file:line:column`. */
  readonly place: string;
  readonly message: string;
  /** The remedy. */
  readonly hint?: string;
}

/** The text `file:line: message`, with the hint below it. */
export const findingText = ({ place, message, hint }: Finding): string =>
  `${place}: ${message}\n${hint === undefined ? '' : `  hint: ${hint}\n`}`;

/** Findings by place and message. A repeated finding is listed once, with its count. */
export class FindingList {
  readonly #found = new Map<string, { readonly finding: Finding; count: number }>();

  add(finding: Finding): void {
    const key = `${finding.place} ${finding.message}`;
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, { finding, count: 1 });
    else known.count += 1;
  }

  get size(): number {
    return this.#found.size;
  }

  get all(): readonly Finding[] {
    return [...this.#found.values()].map(({ finding, count }) =>
      count === 1 ? finding : { ...finding, message: `${finding.message} (${count} times)` },
    );
  }
}
