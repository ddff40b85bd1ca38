import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));

const { SLUICE_MUTATED_ROOM: moduleName } = process.env;

// A source that does not load fails no test of a file that imports it: the file has none then. Stryker
// would count such a change as unnoticed.
it.each(moduleName === undefined ? ['risk', 'execution'] : [moduleName])(
  'all of %s loads',
  async (name) => {
    const files = readdirSync(join(SOURCES, name), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    expect(sources.length).toBeGreaterThan(10);
    for (const file of sources) await import(join(SOURCES, name, file));
  },
);
