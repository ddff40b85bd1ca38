import type { Interval } from '../../../core/interval.js';
import type { Database } from './database.js';
import type { CandleTrace } from '../trace.js';

/** The candles that a strategy receives in a session. */
export interface StrategySubscription {
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
}

export interface TracedCandle {
  readonly openTime: number;
  readonly trace: CandleTrace;
}

/**
 * Stores the candle traces of a replay, so that a session is replayed once and not for each query. Only
 * traces of a replay that agreed with the journal are stored: they stay true when the code changes.
 */
export class TraceStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The subscriptions of a replayed session; undefined: not replayed yet. */
  subscriptions(session: string): readonly StrategySubscription[] | undefined {
    const rows = this.#database.all('select watches from replays where session = ?', session);
    const [text] = rows[0] ?? [];
    return text === undefined
      ? undefined
      : (JSON.parse(String(text)) as readonly StrategySubscription[]);
  }

  candleTrace(session: string, strategy: string, symbol: string, openTime: number) {
    const rows = this.#database.all(
      'select story from stories where session = ? and strategy = ? and symbol = ? and open = ?',
      ...[session, strategy, symbol, openTime],
    );
    const [text] = rows[0] ?? [];
    return text === undefined ? undefined : (JSON.parse(String(text)) as CandleTrace);
  }

  save(
    session: string,
    subscriptions: readonly StrategySubscription[],
    traced: readonly TracedCandle[],
  ): void {
    this.#database.transaction(() => {
      const row = JSON.stringify(subscriptions);
      this.#database.run('insert or replace into replays values (?, ?)', session, row);
      for (const { openTime, trace } of traced) {
        this.#database.run(
          'insert or replace into stories values (?, ?, ?, ?, ?)',
          ...[session, trace.strategy, trace.symbol, openTime, JSON.stringify(trace)],
        );
      }
    });
  }
}
