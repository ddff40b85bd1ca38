import { firstLost } from './walks.js';

/** Disk walks in this process: a line of JSON with the first that breaks something, if any. */
const [seeds = '1000', from = '1'] = process.argv.slice(2);
const lost = await firstLost(Number(seeds), Number(from));
process.stdout.write(`${JSON.stringify(lost ?? {})}\n`);
