import { firstHistoryFailure } from './all-histories.js';

/**
 * Random histories in this process: prints a line of JSON with the first that breaks a property, if
 * any.
 */
const [seeds = '1000', from = '1'] = process.argv.slice(2);
const broken = firstHistoryFailure(Number(seeds), Number(from));
process.stdout.write(`${JSON.stringify(broken ?? {})}\n`);
