import { firstLost } from './walks.js';

/** Disk walks in this process: a line of JSON with the first that breaks something, if any. */
const [seeds = '1000'] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify((await firstLost(Number(seeds))) ?? {})}\n`);
