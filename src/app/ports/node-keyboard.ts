import { createInterface } from 'node:readline';
import type { Keyboard } from '../command-options.js';

/** A stream that a person, or a script, types into. */
export type TypedInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Each call reads one line and lets go of the stream, so that the process can end. */
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
