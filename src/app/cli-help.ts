/** What the help of several commands says. */
export const JSON_TEXT = 'JSON alone on standard output; logs go to standard error';

export const DEBUG_TEXT = 'stacks in messages and logs (also SLUICE_DEBUG=1)';

export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
