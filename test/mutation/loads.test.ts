import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

// A source that does not load fails no test of a file that imports it: the file has none then. Stryker
// would count such a change as unnoticed.
it.each(['risk', 'execution'])('every source of %s loads', async (room) => {
  const files = readdirSync(join(SOURCES, room), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThan(10);
  for (const file of sources) await import(join(SOURCES, room, file));
});
