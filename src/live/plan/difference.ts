import { textFromFixed } from '../../core/fixed/fixed.js';
import {
  entryStateKey,
  entryTermsOf,
  parseEntryTerms,
  type EntryTerms,
} from '../../strategy/contract/entry-settings.js';
import { parseTarget, targetStateKey } from '../../strategy/target/persisted-target.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import type { JournaledPosition, JournalFacts } from './journal-facts.js';

export type DifferenceKind =
  'orphan' | 'renamed' | 'retired' | 'leverage' | 'size' | 'stop' | 'target' | 'held';

/** A difference between a configuration and a journal on one symbol. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly symbol: string;
  /** The configured strategy of the symbol; absent: none. */
  readonly strategy?: string;
  /** In the journal, and in the configuration. Of an orphan and a renamed or retired id: the strategy ids. */
  readonly was?: string;
  readonly is?: string;
  /** One sentence for people, with its consequence. */
  readonly text: string;
}

/** Orphans first, then each strategy's symbols in the order of the file. */
export const differencesOf = (
  strategies: readonly StrategyConfig[],
  facts: JournalFacts,
): readonly Difference[] => [
  ...orphansOf(strategies, facts),
  ...orphanedEntries(strategies, facts),
  ...strategies.flatMap((strategy) =>
    strategy.symbols.flatMap((symbol) => [
      ...settingsOf(strategy, symbol, facts, strategies),
      ...heldOf(strategy, symbol, facts),
    ]),
  ),
];

function orphansOf(
  strategies: readonly StrategyConfig[],
  facts: JournalFacts,
): readonly Difference[] {
  const traded = new Set(strategies.flatMap(({ symbols }) => symbols));
  return [...facts.positions.values()].flatMap((position): readonly Difference[] => {
    const { symbol, openedBy: was } = position;
    const isClosing = closesAtStart(facts, symbol);
    if (traded.has(symbol) && !isClosing) return [];
    const text = isClosing
      ? `position of ${symbol} (${textFromFixed(position.quantity)}) in the journal: its strategy is retired, and the start closes it`
      : orphanText(position);
    const kind = isClosing ? 'retired' : 'orphan';
    return [{ kind, symbol, ...(was !== undefined && { was }), text }];
  });
}

/** A person has retired its strategy with `--close`. */
const closesAtStart = ({ switches }: JournalFacts, symbol: string): boolean =>
  [...switches.values()].some(
    ({ isClosing, symbols }) => isClosing && symbols?.includes(symbol) === true,
  );

/** Entries that may still fill, of an id that is not configured. */
const orphanedEntries = (
  strategies: readonly StrategyConfig[],
  { unfinished }: JournalFacts,
): readonly Difference[] =>
  unfinished
    .filter(
      ({ strategyId: was, isEntry, isWanted }) =>
        isEntry && isWanted && isStrategy(was) && strategies.every(({ id }) => id !== was),
    )
    .map(({ strategyId: was, symbol }) => ({
      kind: 'orphan',
      symbol,
      was,
      text:
        `an entry of ${was} on ${symbol} has not ended, and ${was} is not configured: ` +
        'rename, adopt or retire it (sluice strategy)',
    }));

/** Consequence of a position that no configured strategy closes. */
export const orphanText = ({
  symbol,
  quantity,
}: Pick<JournaledPosition, 'symbol' | 'quantity'>): string =>
  `position of ${symbol} (${textFromFixed(quantity)}) in the journal, no configured strategy trades it: ` +
  'restore its strategy, or decide it with sluice strategy retire [--close]';

function settingsOf(
  strategy: StrategyConfig,
  symbol: string,
  facts: JournalFacts,
  strategies: readonly StrategyConfig[],
): readonly Difference[] {
  const { positions, states } = facts;
  const position = positions.get(symbol);
  if (position === undefined || closesAtStart(facts, symbol)) return [];
  const owner = position.openedBy ?? strategy.id;
  const renamed =
    owner === strategy.id || !isStrategy(owner)
      ? []
      : [renamedFrom(owner, strategy, position, strategies)];
  const entryTerms = parseEntryTerms(states.get(owner)?.get(entryStateKey(symbol)));
  if (entryTerms === undefined) return renamed;
  const at = { symbol, strategy: strategy.id };
  return [...renamed, ...changesOf(entryTerms, strategy).map((change) => ({ ...at, ...change }))];
}

/** Owner ids of orders that an operator or the engine placed. */
export const isStrategy = (id: string): boolean => id !== 'operator' && id !== 'sluice';

function renamedFrom(
  was: string,
  { id }: StrategyConfig,
  { symbol, quantity }: JournaledPosition,
  strategies: readonly StrategyConfig[],
): Difference {
  const still = strategies.some((other) => other.id === was) ? '' : ', which is not configured';
  const text =
    `the position of ${symbol} (${textFromFixed(quantity)}) was opened by strategy ${was}${still}; ` +
    `${id} trades it now, and its first target may close or change it: decide it with sluice strategy rename, adopt or retire`;
  return { kind: 'renamed', symbol, strategy: id, was, is: id, text };
}

type Change = Omit<Difference, 'symbol' | 'strategy'>;

function changesOf(entryTerms: EntryTerms, strategy: StrategyConfig): readonly Change[] {
  const { id, size, protect, leverage, apply = 'next_entry' } = strategy;
  const now = entryTermsOf(size, protect, textFromFixed(leverage));
  const keepsOpenPosition = apply === 'next_entry';
  const changed = (kind: DifferenceKind, was: string, is: string, after: string): Change[] =>
    was === is ? [] : [{ kind, was, is, text: `${id}: ${kind} was ${was} and is ${is}: ${after}` }];
  const movedText = (percentNow: number | undefined): string => {
    if (keepsOpenPosition) return 'the open position keeps its own (apply: next_entry)';
    return percentNow === undefined
      ? 'that of the open position stays'
      : 'that of the open position is moved at the start (apply: now)';
  };
  const { stopLossPct, takeProfitPct } = now;
  return [
    ...(entryTerms.leverage === undefined
      ? []
      : changed(
          'leverage',
          entryTerms.leverage,
          now.leverage ?? '',
          'it is set at the start, with the position open',
        )),
    ...changed(
      'size',
      entryTerms.size,
      now.size,
      keepsOpenPosition
        ? 'the open position keeps its own (apply: next_entry)'
        : 'the open position is resized when its target is set again (apply: now)',
    ),
    ...changed(
      'stop',
      percent(entryTerms.stopLossPct),
      percent(stopLossPct),
      movedText(stopLossPct),
    ),
    ...changed(
      'target',
      percent(entryTerms.takeProfitPct),
      percent(takeProfitPct),
      movedText(takeProfitPct),
    ),
  ];
}

const percent = (value: number | undefined): string =>
  value === undefined ? 'none' : `${value} %`;

function heldOf(
  { id }: StrategyConfig,
  symbol: string,
  { states }: JournalFacts,
): readonly Difference[] {
  const target = parseTarget(states.get(id)?.get(targetStateKey(symbol)));
  if (target?.held === undefined) return [];
  const text =
    `${id}: its target ${target.value} of ${symbol} is given up, because ${target.held}: ` +
    `a different target acts again, or start with --resume ${symbol}`;
  return [{ kind: 'held', symbol, strategy: id, was: String(target.value), text }];
}
