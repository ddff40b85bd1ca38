import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { keyboardOf, type TypedInput } from './node-keyboard.js';

const input = (isTTY?: boolean): PassThrough & TypedInput =>
  Object.assign(new PassThrough(), isTTY === undefined ? {} : { isTTY });

it('the keyboard reads one line without its line end', async () => {
  const typed = input(true);
  const keyboard = keyboardOf(typed);
  expect(keyboard.isTerminal).toBe(true);
  const line = keyboard.readLine();
  typed.write('ye');
  typed.write('s\r\n');
  expect(await line).toBe('yes');
});

it('the keyboard reads undefined at the end of the input', async () => {
  const typed = input();
  const line = keyboardOf(typed).readLine();
  typed.end();
  expect(await line).toBeUndefined();
  expect(keyboardOf(typed).isTerminal).toBe(false);
});

it('the keyboard releases the input, so that the process can exit', async () => {
  const typed = input();
  const line = keyboardOf(typed).readLine();
  typed.write('minimum\n');
  await line;
  expect(typed.isPaused()).toBe(true);
});
