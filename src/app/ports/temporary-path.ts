import { randomBytes } from 'node:crypto';

/** A process number is none: two containers on one volume have the same, and so has the next life. */
const OURS = randomBytes(8).toString('hex');
let made = 0;

/** A path beside `path` that nobody else has, and no earlier life has left. */
export const temporaryPath = (path: string): string => `${path}.${OURS}-${(made += 1)}.tmp`;
