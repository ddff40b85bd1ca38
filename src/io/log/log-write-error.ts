/** The log cannot be written and accepts no more records until it is opened again. */
export class LogWriteError extends Error {
  override readonly name = 'LogWriteError';
  /** Node's `code` of the cause: ENOSPC, EIO, … */
  readonly code: string | undefined;
  constructor(path: string, cause: unknown) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    super(`${path} cannot be written: ${detail}`, { cause });
    this.code = codeOf(cause);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
