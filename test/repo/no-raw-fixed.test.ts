import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** As if it stood in a file of the risk room, with its types. */
async function messagesOf(lines: readonly string[]): Promise<readonly string[]> {
  const code = [
    "import type { Price } from '../core/fixed/fixed.js';",
    'export const found = (a: Price, b: Price): readonly unknown[] => [',
    ...lines.map((line) => `  ${line},`),
    '];',
    '',
  ].join('\n');
  const eslint = new ESLint({ cwd: root });
  const [result] = await eslint.lintText(code, { filePath: 'src/risk/product-text.ts' });
  return (result?.messages ?? []).map(({ message }) => message);
}

test('a value of two forms is ordered and converted by functions of core alone', async () => {
  const raw = ['a < b', 'a >= b', '-a', 'BigInt(a)', 'Number(b)', 'String(a)', '`${a}`'];
  const messages = await messagesOf(raw);
  expect(messages).toHaveLength(raw.length);
  expect(messages[0]).toMatch(/"<" on a value of core\/fixed.ts/);
  expect(await messagesOf(['a === b', 'a > 0', '0 <= b', '1 < 2'])).toEqual([]);
}, 120_000);
