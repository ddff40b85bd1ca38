import { terminalText } from '../core/terminal-text.js';
import type {
  CacheFiles,
  Clock,
  Files,
  Folders,
  Keyboard,
  LocalSockets,
  Random,
  Scheduler,
} from '../core/ports.js';
import type { StartTelegramThread } from '../notify/telegram/telegram-protocol.js';
import type { StartThread } from '../strategy/isolation/strategy-thread.js';
import type { BacktestOptions } from './commands/backtest/backtest-options.js';

/** The process around a command. Tests pass their own. */
export interface Io {
  /** Results only. Writes the text as given, without adding a newline. */
  readonly stdout: (text: string) => void;
  /** Logs, progress and explanations, as given. */
  readonly stderr: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  /** Lines that the terminal shows. Absent: unknown. */
  readonly screenRows?: () => number | undefined;
  /** The environment of the process. A command that reads a secret from it deletes the variable. */
  readonly env: Record<string, string | undefined>;
  /** Listens for Ctrl-C and SIGTERM. @returns a function that removes the listener */
  readonly onSignal: (listener: (signal: 'SIGINT' | 'SIGTERM') => void) => () => void;
  /** Listens for SIGHUP, which asks to reload the secret. Absent: no such signal. @returns a function that removes the listener */
  readonly onHangup?: (listener: () => void) => () => void;
  /** Listens for SIGUSR2, which sets the kill switch. Absent: no such signal. @returns a function that removes the listener */
  readonly onKillSignal?: (listener: () => void) => () => void;
  /** Version of the program. Absent: unknown. */
  readonly version?: string;
  /** SHA-256 of the program's files. Absent: it runs from its sources. */
  readonly build?: string;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly files: Files;
  readonly folders: Folders;
  /** The files of caches. Absent: nothing is cached. */
  readonly cacheFiles?: CacheFiles;
  /** The operator channel between processes. Absent: there is none. */
  readonly sockets?: LocalSockets;
  /** Runs a strategy on its own thread. Absent: strategies run in this thread. */
  readonly startThread?: StartThread;
  /** Talks to Telegram on its own thread. Absent: there is no such channel. */
  readonly startTelegram?: StartTelegramThread;
  /** Runs a backtest on its own thread. Absent: backtests run in this thread. */
  readonly backtestThread?: (options: BacktestOptions, io: Io) => Promise<number>;
  /** Reads typed answers. Absent: no prompt can be answered. */
  readonly keyboard?: Keyboard;
}

/** Whether people read the output in colour: on a terminal, unless NO_COLOR is set. */
export const usesColour = (io: Pick<Io, 'isTerminal' | 'env'>): boolean =>
  io.isTerminal && io.env['NO_COLOR'] === undefined;

/**
 * Makes every text of a command safe for a terminal: control characters are escaped. Text marked by
 * `styled` keeps its colours and cursor moves, on a terminal only.
 */
export const terminalIo = (io: Io): Io => ({
  ...io,
  stdout: (text) => {
    io.stdout(terminalText(text, { marks: io.isTerminal }));
  },
  stderr: (text) => {
    io.stderr(terminalText(text, { marks: io.isTerminal }));
  },
});
