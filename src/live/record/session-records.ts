import type { Files } from '../../core/ports.js';
import { readPart } from './compressed-part.js';
import { listParts, RECORD_DIRECTORY } from './part-names.js';

/** All records of a session, its header first. @throws LogCorruptError */
export async function readSessionRecords(
  files: Pick<Files, 'read' | 'list'>,
  directory: string,
  session: string,
): Promise<readonly Uint8Array[]> {
  const records: Uint8Array[] = [];
  for (const part of await listParts(directory, files)) {
    if (part.session !== session) continue;
    for (const record of await readPart(files, `${directory}/${RECORD_DIRECTORY}`, part)) {
      records.push(record);
    }
  }
  return records;
}
