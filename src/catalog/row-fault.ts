import { candleFault } from '../core/candle.js';
import { openTimeOf } from '../core/interval.js';
import { CandleView } from '../market/candles/candle-columns.js';
import { columnsOfRows, type Rows } from './columns.js';
import type { CandleDataset, Dataset, FundingDataset } from './dataset.js';

/** A row that the catalogue does not take. */
export interface RowFault {
  /** `duplicate`: a time twice; `order`: a time before that of the row above; `bad`: impossible values. */
  readonly kind: 'duplicate' | 'order' | 'bad';
  readonly timeMs: number;
  /** Such as `high is below low`. */
  readonly reason: string;
}

/** The faults of the rows, in their order; at most `limit`. */
export function rowFaults(dataset: Dataset, rows: Rows, limit: number): readonly RowFault[] {
  const faults: RowFault[] = [];
  const valueFault = valueFaultOf(dataset, rows);
  const [times] = rows;
  for (let index = 0; index < times.length && faults.length < limit; index += 1) {
    const timeMs = times[index] as number;
    const before = index === 0 ? -Infinity : (times[index - 1] as number);
    if (timeMs === before)
      faults.push({ kind: 'duplicate', timeMs, reason: 'its time is there twice' });
    else if (timeMs < before)
      faults.push({ kind: 'order', timeMs, reason: 'its time is before that of the row above' });
    const reason = valueFault(index);
    if (reason !== undefined) faults.push({ kind: 'bad', timeMs, reason });
  }
  return faults;
}

type ValueFault = (index: number) => string | undefined;

const valueFaultOf = (dataset: Dataset, rows: Rows): ValueFault =>
  dataset.kind === 'funding' ? fundingFault(dataset, rows) : candleRowFault(dataset, rows);

function candleRowFault(dataset: CandleDataset, rows: Rows): ValueFault {
  const view = new CandleView(columnsOfRows(dataset, rows));
  return (index) => {
    view.index = index;
    const fault = candleFault(view);
    if (fault !== undefined) return fault;
    return openTimeOf(dataset.interval, view.openTime) === view.openTime
      ? undefined
      : `its open time is not on the interval ${dataset.interval}`;
  };
}

function fundingFault(dataset: FundingDataset, rows: Rows): ValueFault {
  const { time, rate, intervalMs } = columnsOfRows(dataset, rows);
  return (index) => {
    if ((time[index] as number) % 60_000 !== 0) return 'its time is no whole minute';
    const value = rate[index] as number;
    if (!(value > -1 && value < 1)) return `its rate ${value} is no fraction between -1 and 1`;
    return (intervalMs[index] as number) >= 0 ? undefined : 'its interval is below 0';
  };
}
