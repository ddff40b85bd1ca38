import { AssertionError } from '../../core/assert.js';
import { openTimeOf } from '../../core/interval.js';
import { recover } from '../../execution/recovery/recovery.js';
import { configFromYaml, type SluiceConfig } from '../config.js';
import { ConfigError } from '../failure.js';
import { loadStrategies } from '../load-strategies.js';
import { buildEngine } from '../wire.js';
import type { IndexPorts } from './journal-index.js';
import { JournalComparison, sessionJournal } from './session-journal.js';
import { cutsOf, eventsOf, type Session } from './session-log.js';
import type { ToldCandle, Watch } from './story-store.js';
import { StoryTeller } from './story-teller.js';

export interface CandleReplay {
  readonly watches: readonly Watch[];
  /** Every candle up to the one that was asked for. */
  readonly told: readonly ToldCandle[];
  /** The replay decided what the journal says. */
  readonly agrees: boolean;
  /** Why it could not be carried through. */
  readonly failure?: string;
}

interface Wanted {
  readonly symbol: string;
  readonly time: number;
}

/** After it a candle does not come any more: feeds repair their gaps within minutes. Venue ms. */
const LATE_MS = 24 * 60 * 60_000;

/**
 * Feeds a session's record to a fresh engine until every strategy has seen its candle of that time.
 * The engine is deterministic, so that this is what happened, as long as the code is what it was: the
 * journal tells whether it is. Code that has changed may not even be able to follow the record.
 *
 * @param wanted the symbol, and ms UTC within the candle
 */
export async function replayUntil(
  wanted: Wanted,
  session: Session,
  directory: string,
  ports: IndexPorts,
): Promise<CandleReplay> {
  const { configPath, configText, operator } = session.header;
  const config = configFromYaml(configPath, new TextEncoder().encode(configText));
  const seats = operator === undefined ? config.strategies : [];
  const watches = seats.map(({ id, symbols, interval }) => ({ strategy: id, symbols, interval }));
  const concerned = watches.filter(({ symbols }) => symbols.includes(wanted.symbol));
  const told: ToldCandle[] = [];
  if (concerned.length === 0) return { watches, told, agrees: true };
  try {
    const waiting = new Set(concerned.map(({ strategy }) => strategy));
    const agrees = await listen({ wanted, session, directory, ports, config, told, waiting });
    return { watches, told, agrees };
  } catch (error) {
    if (!isOfOtherCode(error)) throw error;
    return { watches, told, agrees: false, failure: error.message };
  }
}

/** What code that is not the code which ran may meet: its own promises, or a strategy that is gone. */
const isOfOtherCode = (error: unknown): error is Error =>
  error instanceof AssertionError || error instanceof RangeError || error instanceof ConfigError;

interface Listening {
  readonly wanted: Wanted;
  readonly session: Session;
  readonly directory: string;
  readonly ports: IndexPorts;
  readonly config: SluiceConfig;
  readonly told: ToldCandle[];
  /** Strategies that have not seen the candle yet. */
  readonly waiting: Set<string>;
}

/** @returns whether the replay decided what the journal says */
async function listen(listening: Listening): Promise<boolean> {
  const { wanted, session, directory, ports, config, told, waiting } = listening;
  const strategies = await loadStrategies(config);
  const { before, own } = await sessionJournal(session, directory, ports);
  const comparison = new JournalComparison(own);
  const teller: StoryTeller = new StoryTeller({
    world: () => ({
      mode: engine.mode,
      position: (symbol) => engine.positions.quantity(symbol, engine.currency),
      venueTime: () => engine.facts.venueTime,
    }),
    journaled: (record) => {
      comparison.add(record);
    },
    told: (host, candle) => {
      told.push(candle);
      const asked = openTimeOf(host.interval, wanted.time);
      const isIt = candle.story.symbol === wanted.symbol && candle.openTime === asked;
      if (isIt) waiting.delete(host.id);
    },
  });
  const cuts = await cutsOf(ports, directory, session);
  const inputs = { config, strategies, cuts, watch: teller };
  const engine = buildEngine(inputs, teller, recover(before, config.account));
  try {
    for await (const event of eventsOf(ports, directory, session, ports.progress)) {
      engine.handle(event);
      await comparison.compare();
      if (waiting.size === 0 || event.venueTime > wanted.time + LATE_MS) break;
    }
  } finally {
    await comparison.close();
  }
  return !comparison.differs;
}
