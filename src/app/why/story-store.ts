import type { Interval } from '../../core/interval.js';
import type { Database } from './database.js';
import type { CandleStory } from './story.js';

/** Who watches what in a session. */
export interface Watch {
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly interval: Interval;
}

export interface ToldCandle {
  readonly openTime: number;
  readonly story: CandleStory;
}

/**
 * Stories that a replay told, so that a session is replayed once and not for each question. Only those
 * of a replay that agreed with the journal: what happened does not change, whatever becomes of the code.
 */
export class StoryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** undefined: the session was not replayed yet. */
  watches(session: string): readonly Watch[] | undefined {
    const rows = this.#database.all('select watches from replays where session = ?', session);
    const [text] = rows[0] ?? [];
    return text === undefined ? undefined : (JSON.parse(String(text)) as readonly Watch[]);
  }

  story(session: string, strategy: string, symbol: string, openTime: number) {
    const rows = this.#database.all(
      'select story from stories where session = ? and strategy = ? and symbol = ? and open = ?',
      ...[session, strategy, symbol, openTime],
    );
    const [text] = rows[0] ?? [];
    return text === undefined ? undefined : (JSON.parse(String(text)) as CandleStory);
  }

  keep(session: string, watches: readonly Watch[], told: readonly ToldCandle[]): void {
    this.#database.transaction(() => {
      const row = JSON.stringify(watches);
      this.#database.run('insert or replace into replays values (?, ?)', session, row);
      for (const { openTime, story } of told) {
        this.#database.run(
          'insert or replace into stories values (?, ?, ?, ?, ?)',
          ...[session, story.strategy, story.symbol, openTime, JSON.stringify(story)],
        );
      }
    });
  }
}
