export class PrepareError extends Error {
  readonly exitCode: 1 | 2;
}

export interface PrepareOptions {
  /** Of the checkout; default: this one. */
  readonly root?: string;
  /** The development packages are needed too. */
  readonly dev?: boolean;
  /** For `npm pack`: lib/ holds this build alone. */
  readonly pack?: boolean;
  /** Starts a program in a directory and answers its exit code. */
  readonly run?: (program: string, args: readonly string[], cwd: string) => number | string;
  readonly log?: (text: string) => void;
}

/** @throws PrepareError */
export function prepare(options?: PrepareOptions): void;
export function prepareOrExit(options?: PrepareOptions): void;
