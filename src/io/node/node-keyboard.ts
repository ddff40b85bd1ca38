import { createInterface } from 'node:readline';
import type { Keyboard } from '../../core/ports.js';

/** The input stream: a terminal, a pipe or a file. */
export type TypedInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Each call reads one line and then pauses the stream, so that the process can exit. */
export const keyboardOf = (input: TypedInput): Keyboard => ({
  isTerminal: Boolean(input.isTTY),
  readLine: () =>
    new Promise((resolve) => {
      const lines = createInterface({ input, terminal: false });
      let line: string | undefined;
      lines.once('line', (text) => {
        line ??= text;
        lines.close();
      });
      lines.once('close', () => {
        input.pause();
        resolve(line);
      });
    }),
});

export const nodeKeyboard: Keyboard = keyboardOf(process.stdin);
