import { randomBytes } from 'node:crypto';

/** Unique to this run. A process id is not: containers on one volume, or a later run, may have the same. */
const PROCESS_TOKEN = randomBytes(8).toString('hex');
let counter = 0;

/** A path beside `path` that no other process uses and no previous run has left behind. */
export const temporaryPath = (path: string): string =>
  `${path}.${PROCESS_TOKEN}-${(counter += 1)}.tmp`;
