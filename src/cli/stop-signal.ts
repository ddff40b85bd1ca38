import type { Io } from './command-io.js';

/** Ctrl-C and SIGTERM of a command that trades: the first asks to stop, the second to exit at once. */
export interface StopSignal {
  readonly first: Promise<void>;
  readonly second: Promise<void>;
  /** SIGTERM: a supervisor waits for the end, but only for a limited time. */
  readonly hasReceivedSigterm: () => boolean;
  readonly removeListener: () => void;
}

export function listenForStop(io: Io): StopSignal {
  let onFirst: () => void = () => undefined;
  let onSecond: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (onFirst = resolve));
  const second = new Promise<void>((resolve) => (onSecond = resolve));
  let count = 0;
  let hasReceivedSigterm = false;
  const removeListener = io.onSignal((signal) => {
    count += 1;
    hasReceivedSigterm ||= signal === 'SIGTERM';
    if (count > 1) onSecond();
    else {
      io.stderr(`\nsluice: ${signal}: stopping (once more leaves at once)\n`);
      onFirst();
    }
  });
  return { first, second, hasReceivedSigterm: () => hasReceivedSigterm, removeListener };
}
