import type { EquityCurve } from '../statistics/equity-curve.js';
import type { RunFault } from './run-reader.js';

const HEADER = 'time,equity';
const NUMBER = /^-?\d+(\.\d+)?$/;

/** `equity.csv` of a run: epoch seconds and equity, times ascending. */
export function equityCurveOf(text: string): EquityCurve | RunFault {
  const [header, ...rows] = text.replace(/\r?\n$/, '').split(/\r?\n/);
  if (header !== HEADER)
    return changed(1, `it starts with ${JSON.stringify(header?.slice(0, 40))}`);
  const times = new Float64Array(rows.length);
  const equity = new Float64Array(rows.length);
  let before = -Infinity;
  for (const [index, row] of rows.entries()) {
    const [time = '', value = '', ...rest] = row.split(',');
    if (rest.length > 0 || !NUMBER.test(time) || !NUMBER.test(value))
      return changed(index + 2, `${JSON.stringify(row.slice(0, 40))} is no time and equity`);
    if (Number(time) <= before) return changed(index + 2, 'its time is not after the row before');
    before = Number(time);
    times[index] = before * 1_000;
    equity[index] = Number(value);
  }
  if (rows.length === 0) return { problem: 'equity.csv has no row; run the repeat command' };
  return { times, equity, length: rows.length };
}

const changed = (line: number, fault: string): RunFault => ({
  problem: `equity.csv was changed: line ${line}: ${fault}; run the repeat command`,
});
