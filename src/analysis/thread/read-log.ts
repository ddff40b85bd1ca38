import { resolve } from 'node:path';
import { HEARTBEAT_CELL, type Heartbeat } from '../../backtest/heartbeat.js';
import type { RunInputs } from '../../report/run/inputs-schema.js';
import { sourceLocationOf } from '../../strategy/host/failure-location.js';
import type { StrategyRead } from '../check/strategy-read.js';
import { realPath, watchFileReads, type ReadCall } from './file-reads.js';

/** Files of code are read to be imported. */
const MODULE = /\.([cm]?[jt]sx?|node)$|\/(package|tsconfig)\.json$/;
const MARKET_DATA: ReadonlySet<string> = new Set(['candles', 'funding', 'mark']);

/** The reads of the strategy's own code in this thread, from now on. */
export class ReadLog {
  readonly #calls: (ReadCall & { readonly candle: number | undefined })[] = [];

  constructor(heartbeat: Heartbeat) {
    watchFileReads((call) => {
      if (sourceLocationOf(call.stack) === undefined) return;
      const candle = heartbeat[HEARTBEAT_CELL.simulated];
      this.#calls.push({ ...call, candle: candle === 0 ? undefined : candle });
    });
  }

  /** @param inputs the data files of the run */
  readsOf({ data }: Pick<RunInputs, 'data'>): readonly StrategyRead[] {
    const own = new Set(
      data
        .filter(({ role }) => MARKET_DATA.has(role))
        .flatMap(({ path }) => realPath(resolve(path)) ?? []),
    );
    return this.#calls.flatMap(({ words, isProgram, candle }) =>
      words.flatMap((word): StrategyRead[] => {
        const path = realPath(resolve(word));
        if (path === undefined) return [];
        const isData = own.has(path);
        return isData || !(isProgram || MODULE.test(path)) ? [{ path, isData, candle }] : [];
      }),
    );
  }
}
