import { textFromFixed } from '../../core/fixed/fixed.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { entryStateKey } from '../../strategy/contract/entry-settings.js';
import type { SluiceConfig } from '../../config/config.js';
import { differencesOf, type Difference } from './difference.js';
import { firstOrdersOf, type FirstOrders } from './first-orders.js';
import { journalFacts, type JournalFacts, type UnfinishedOrder } from './journal-facts.js';

/**
 * Plan of a start of this configuration on this journal: the present state, and its possible first orders.
 */
export interface StartPlan {
  readonly positions: readonly {
    readonly symbol: string;
    readonly quantity: string;
    readonly opened_by: string | null;
  }[];
  readonly differences: readonly Difference[];
  /** Orders of the journal that have not ended: they are resolved before the first trade. */
  readonly unfinished: readonly UnfinishedOrder[];
  readonly first_orders: readonly FirstOrders[];
  /** Facts that a plan cannot know, each with the reason. */
  readonly not_known: readonly string[];
}

export type PlannedConfig = Pick<SluiceConfig, 'account' | 'strategies' | 'venue'>;

/** Compares what is on the disk alone: no request is sent. */
export function createStartPlan(
  config: PlannedConfig,
  records: readonly JournalRecord[],
): StartPlan {
  const { account, strategies, venue } = config;
  const facts = journalFacts(records, account, venue.tradeCurrency);
  return {
    positions: [...facts.positions.values()].map(({ symbol, quantity, openedBy }) => ({
      symbol,
      quantity: textFromFixed(quantity),
      opened_by: openedBy ?? null,
    })),
    differences: differencesOf(strategies, facts),
    unfinished: facts.unfinished.map(({ strategyId, symbol, state }) => ({
      strategyId,
      symbol,
      state,
    })),
    first_orders: strategies.flatMap((strategy) =>
      strategy.symbols.map((symbol) => firstOrdersOf(strategy, symbol, facts)),
    ),
    not_known: [
      'what the venue holds and charges now: positions are as the journal leaves them',
      ...unknownEntries(config, facts),
    ],
  };
}

function unknownEntries(
  { strategies }: PlannedConfig,
  { positions, states }: JournalFacts,
): readonly string[] {
  const symbols = strategies.flatMap((strategy) => strategy.symbols);
  return [...positions.values()]
    .filter(({ symbol, openedBy }) => {
      const isTraded = symbols.includes(symbol);
      return isTraded && states.get(openedBy ?? '')?.get(entryStateKey(symbol)) === undefined;
    })
    .map(({ symbol }) => `with which size, stop and leverage ${symbol} was entered`);
}
