import { readFileSync } from 'node:fs';
import { MemoryFiles } from '../fakes/memory-files.js';

/**
 * A disk with a journal as a released version wrote it (test/fixtures/journals). They are never
 * written again: what reads them must go on reading them.
 */
export function diskWithStored(
  version: string,
  name: string,
  directory = '/state',
  files = new MemoryFiles(),
): MemoryFiles {
  for (const ending of ['log', 'head']) {
    const url = new URL(`../../fixtures/journals/${version}/${name}.${ending}`, import.meta.url);
    // A copy: a Buffer's own slices share its memory.
    files.put(`${directory}/journal.${ending}`, new Uint8Array(readFileSync(url)));
  }
  return files;
}
