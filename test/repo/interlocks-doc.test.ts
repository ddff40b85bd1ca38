import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { INTERLOCKS } from '../../src/live/interlocks/interlock-table.js';

const FILE = new URL('../../docs/going-live.md', import.meta.url);
const MARKS = ['<!-- generated: interlocks -->', '<!-- end of generated: interlocks -->'] as const;

const TABLE = `| id | severity | modes | requires | mend |
| --- | --- | --- | --- | --- |
${INTERLOCKS.map(
  ({ id, severity, modes, requires, mend }) =>
    `| \`${id}\` | ${severity} | ${modes.length === 4 ? 'every' : modes.join(', ')} | ${requires} | ${mend} |`,
).join('\n')}`;

it('docs/going-live.md lists the interlocks of the code (UPDATE_DOCS=1 writes them)', async () => {
  const [before, rest = ''] = readFileSync(FILE, 'utf8').split(MARKS[0]);
  const [, after = ''] = rest.split(MARKS[1]);
  const options = await resolveConfig(FILE.pathname);
  const text = await format(`${before}${MARKS[0]}\n\n${TABLE}\n\n${MARKS[1]}${after}`, {
    ...options,
    parser: 'markdown',
  });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});
