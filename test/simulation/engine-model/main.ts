import { firstEngineFailure } from './walks.js';

/** Walks between two signs of life. */
const A_FEW = 100;

/** Engine walks in this process: lines of JSON, the last with the first that breaks something, if any. */
function walk(seeds: number, from: number): void {
  for (let done = 0; done < seeds; done += A_FEW) {
    const wrong = firstEngineFailure(Math.min(A_FEW, seeds - done), from + done);
    process.stdout.write(`${JSON.stringify(wrong ?? {})}\n`);
    if (wrong !== undefined) return;
  }
}

const [seeds = '1000', from = '1'] = process.argv.slice(2);
walk(Number(seeds), Number(from));
