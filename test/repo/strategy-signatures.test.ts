import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listedNames, namedTypes, signaturesOf, withSignatures } from './signature-text.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = join(ROOT, 'docs/strategies.md');
const TEXT = readFileSync(PAGE, 'utf8');

/** Indicators have a page of their own, and zod is documented by zod. */
const signatures = signaturesOf(
  join(ROOT, 'src/strategy/index.ts'),
  ['src/strategy/contract', 'src/strategy/target/size', 'src/core', 'src/core/fixed'].map(
    (folder) => join(ROOT, folder),
  ),
);

/** Types of others: zod's, rxjs's, TypeScript's, and the indicators. */
const EXTERNAL_TYPES = [
  'z',
  'Observable',
  'SchedulerLike',
  'Indicators',
  'Readonly',
  'Partial',
  'Record',
];

describe('the signatures of docs/strategies.md', () => {
  it('are the declarations: `npx vitest run test/repo/strategy-signatures.test.ts -u` renews them', async () => {
    await expect(await withSignatures(TEXT, signatures)).toMatchFileSnapshot(PAGE);
  });

  it('show every type that sluice/strategy exports, once', () => {
    expect([...listedNames(TEXT)].sort()).toEqual([...signatures.keys()].sort());
  });

  it('name no type that the page does not show', () => {
    const known = new Set([...signatures.keys(), ...EXTERNAL_TYPES]);
    const named = [...signatures.values()].flatMap((text) => [...namedTypes(text)]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('would notice a changed signature', async () => {
    const page = '```ts signatures:A\ninterface A {}\n```';
    const changed = new Map([['A', '/** One. */\ninterface A { b: number }']]);
    expect(await withSignatures(page, changed)).toBe(
      '```ts signatures:A\n/** One. */\ninterface A {\n  b: number;\n}\n```',
    );
  });
});
