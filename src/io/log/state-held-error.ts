/** Another process owns the state folder, or may own it. */
export class StateHeldError extends Error {
  override readonly name = 'StateHeldError';
  /** undefined if the lock does not name it, or if it belongs to another pid namespace. */
  readonly pid: number | undefined;
  constructor(message: string, pid: number | undefined) {
    super(message);
    this.pid = pid;
  }
}
