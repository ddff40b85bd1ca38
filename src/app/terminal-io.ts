import { terminalText } from '../core/terminal-text.js';
import type { Io } from './command-options.js';

/**
 * The one way from a command to its reader: whatever it writes, on either stream, steers no terminal. Colours
 * and progress of our own are marked (`styled`), and kept for a terminal alone.
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
