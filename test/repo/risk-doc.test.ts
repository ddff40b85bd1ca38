import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import {
  CONTROL_ENTRIES,
  findControl,
  keysOfControl,
} from '../../src/risk/catalog/control-catalog.js';
import { controlStatus } from '../../src/risk/catalog/control-entry.js';
import { LIMIT_ENTRIES, limitText } from '../../src/risk/catalog/limit-catalog.js';
import { PRESET_LIMITS } from '../../src/risk/limits/risk-limits.js';

const FILE = new URL('../../docs/risk.md', import.meta.url);
const TEXT = readFileSync(FILE, 'utf8');

const GENERATED = `| id | control | keys in \`risk:\` | class | clock | effect | ends | status |
| --- | --- | --- | --- | --- | --- | --- | --- |
${CONTROL_ENTRIES.map(
  (entry) =>
    `| ${entry.id} | ${entry.name} | ${codeList(keysOfControl(entry))} | ${entry.class} | ${entry.clock === 'none' ? '–' : entry.clock} | ${entry.summary} | ${entry.ends} | ${controlStatus(entry)} |`,
).join('\n')}

### Limits by preset

| key | control | \`cautious\` | \`standard\` |
| --- | --- | --- | --- |
${LIMIT_ENTRIES.map(
  ({ key, control, unit, read }) =>
    `| \`${key}\` | ${control} | ${limitText(read(PRESET_LIMITS.cautious), unit).replace(/^\*$/, '`*`')} | ${limitText(read(PRESET_LIMITS.standard), unit).replace(/^\*$/, '`*`')} |`,
).join('\n')}

### Arguments for the defaults

${CONTROL_ENTRIES.map(({ id, name, argument }) => `- **${id}, ${name}.** ${argument}`).join('\n')}
`;

function codeList(keys: readonly string[]): string {
  return keys.length === 0 ? '–' : keys.map((key) => `\`${key}\``).join(', ');
}

/** Between these lines the page is written from the catalogue. */
const MARKS = ['<!-- generated: controls -->', '<!-- end of generated: controls -->'] as const;

/** Cells of the table "Controls, in their order", by id. */
const WRITTEN: ReadonlyMap<string, readonly string[]> = new Map(
  [...(TEXT.split(MARKS[0])[0] ?? '').matchAll(/^\| (R\d\d|mode) +\|(.*)\|$/gm)].map(
    ([, id = '', cells = '']) => [id, cells.split('|').map((cell) => cell.trim())],
  ),
);

describe('docs/risk.md', () => {
  it('has the controls, limits and arguments of the catalogue (UPDATE_DOCS=1 writes them)', async () => {
    const [before, rest = ''] = TEXT.split(MARKS[0]);
    const [, after = ''] = rest.split(MARKS[1]);
    const options = await resolveConfig(FILE.pathname);
    const text = await format(`${before}${MARKS[0]}\n\n${GENERATED}\n${MARKS[1]}${after}`, {
      ...options,
      parser: 'markdown',
    });
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });

  it.each([...WRITTEN.keys()])(
    'the row of %s has the keys and the clock of the catalogue',
    (id) => {
      const [keys = '', , clock] = WRITTEN.get(id) ?? [];
      const entry = findControl(id);
      expect(entry?.inForce).toBe(true);
      const written = [...keys.matchAll(/`([a-z_]+)`/g)].map(([, key]) => key);
      const known = entry === undefined ? [] : keysOfControl(entry);
      for (const key of written) expect(known).toContain(key);
      expect(clock).toBe(entry?.clock === 'none' ? '–' : entry?.clock);
    },
  );
});
