/** Exit codes of the commands. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Bad usage or bad configuration: fix the command line or the file, then try again. */
  usage: 2,
  /** Another instance holds the state directory. */
  held: 3,
  /** Refused for safety: starting could lose money. */
  refused: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
