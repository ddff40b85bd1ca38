import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { ASSUMPTIONS } from '../../src/exchange/assumptions.js';

const FILE = new URL('../../docs/assumptions.md', import.meta.url);

const HEAD = `# Assumptions

Where the interface is silent, the simulated exchange had to choose. Each choice is a field of \`Assumptions\`
(\`src/exchange/assumptions.ts\`) with both answers; \`createExchange(options, { field: answer })\` takes the other one. The command
line does not offer them yet.

This table is made from the code: \`UPDATE_DOCS=1 npx vitest run test/house/assumptions-doc.test.ts\`.

| id | field | default | other | reason |
| --- | --- | --- | --- | --- |
`;

const table = ASSUMPTIONS.map(
  ({ id, field, default: answer, other, reason }) =>
    `| \`${id}\` | \`${field}\` | \`${answer}\` | \`${other}\` | ${reason} |`,
).join('\n');

it('docs/assumptions.md tells the assumptions as the code has them', async () => {
  const options = await resolveConfig(FILE.pathname);
  const text = await format(`${HEAD}${table}\n`, { ...options, parser: 'markdown' });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

it('no assumption is named twice', () => {
  const ids = ASSUMPTIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
