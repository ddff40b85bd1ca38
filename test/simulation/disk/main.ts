import { firstDiskFailure } from './walks.js';

/** Disk walks in this process: prints the first broken property as a line of JSON, else {}. */
const [seeds = '1000', from = '1'] = process.argv.slice(2);
const lost = await firstDiskFailure(Number(seeds), Number(from));
process.stdout.write(`${JSON.stringify(lost ?? {})}\n`);
