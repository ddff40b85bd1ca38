import { firstBroken } from './all-histories.js';

/** Histories by chance, in this process: a line of JSON with the first that breaks a property, if any. */
const [seeds = '1000', from = '1'] = process.argv.slice(2);
const broken = firstBroken(Number(seeds), Number(from));
process.stdout.write(`${JSON.stringify(broken ?? {})}\n`);
