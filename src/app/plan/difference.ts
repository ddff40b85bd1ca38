import { textFromFixed } from '../../core/fixed.js';
import {
  entryKeyOf,
  entryTermsOf,
  readEntryTerms,
  type EntryTerms,
} from '../../strategy/entry-settings.js';
import { readTarget, targetKeyOf } from '../../strategy/kept-target.js';
import type { StrategyConfig } from '../config.js';
import type { JournaledPosition, JournalFacts } from './journal-facts.js';

export type DifferenceKind =
  'orphan' | 'renamed' | 'leverage' | 'size' | 'stop' | 'target' | 'held';

/** A difference between a configuration and a journal on one symbol. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly symbol: string;
  /** Configured, and trades the symbol; absent: none does. */
  readonly strategy?: string;
  /** As the journal has it, and as it is configured. */
  readonly was?: string;
  readonly is?: string;
  /** One sentence for people, with what becomes of it. */
  readonly text: string;
}

/** Orphans first, then each strategy's symbols in the order of the file. */
export const differencesOf = (
  strategies: readonly StrategyConfig[],
  facts: JournalFacts,
): readonly Difference[] => [
  ...orphansOf(strategies, facts),
  ...strategies.flatMap((strategy) =>
    strategy.symbols.flatMap((symbol) => [
      ...settingsOf(strategy, symbol, facts, strategies),
      ...heldOf(strategy, symbol, facts),
    ]),
  ),
];

function orphansOf(
  strategies: readonly StrategyConfig[],
  { positions }: JournalFacts,
): readonly Difference[] {
  const traded = new Set(strategies.flatMap(({ symbols }) => symbols));
  return [...positions.values()]
    .filter(({ symbol }) => !traded.has(symbol))
    .map((position) => ({ kind: 'orphan', symbol: position.symbol, text: orphanText(position) }));
}

/** Of a position that nothing configured closes. */
export const orphanText = ({
  symbol,
  quantity,
}: Pick<JournaledPosition, 'symbol' | 'quantity'>): string =>
  `position of ${symbol} (${textFromFixed(quantity)}) in the journal, no configured strategy trades it: ` +
  'put its strategy back, or close it by hand';

function settingsOf(
  strategy: StrategyConfig,
  symbol: string,
  { positions, states }: JournalFacts,
  strategies: readonly StrategyConfig[],
): readonly Difference[] {
  const position = positions.get(symbol);
  if (position === undefined) return [];
  const owner = position.openedBy ?? strategy.id;
  const renamed =
    owner === strategy.id || !isStrategy(owner)
      ? []
      : [renamedFrom(owner, strategy, position, strategies)];
  const entered = readEntryTerms(states.get(owner)?.get(entryKeyOf(symbol)));
  if (entered === undefined) return renamed;
  const at = { symbol, strategy: strategy.id };
  return [...renamed, ...changesOf(entered, strategy).map((change) => ({ ...at, ...change }))];
}

/** Orders of a person and of the engine carry these owners. */
const isStrategy = (id: string): boolean => id !== 'operator' && id !== 'sluice';

function renamedFrom(
  was: string,
  { id }: StrategyConfig,
  { symbol, quantity }: JournaledPosition,
  strategies: readonly StrategyConfig[],
): Difference {
  const still = strategies.some((other) => other.id === was) ? '' : ', which is not configured';
  const text =
    `the position of ${symbol} (${textFromFixed(quantity)}) was opened by strategy ${was}${still}; ` +
    `${id} trades it now, and its first target may close or change it`;
  return { kind: 'renamed', symbol, strategy: id, was, is: id, text };
}

type Change = Omit<Difference, 'symbol' | 'strategy'>;

function changesOf(entered: EntryTerms, strategy: StrategyConfig): readonly Change[] {
  const { id, size, protect, leverage, apply = 'next_entry' } = strategy;
  const now = entryTermsOf(size, protect, textFromFixed(leverage));
  const isKept = apply === 'next_entry';
  const changed = (kind: DifferenceKind, was: string, is: string, after: string): Change[] =>
    was === is ? [] : [{ kind, was, is, text: `${id}: ${kind} was ${was} and is ${is}: ${after}` }];
  const stops = isKept
    ? 'the open position keeps its own (apply: next_entry)'
    : 'that of the open position is moved at the start (apply: now)';
  return [
    ...(entered.leverage === undefined
      ? []
      : changed(
          'leverage',
          entered.leverage,
          now.leverage ?? '',
          'it is set at the start, with the position open',
        )),
    ...changed(
      'size',
      entered.size,
      now.size,
      isKept
        ? 'the open position keeps its own (apply: next_entry)'
        : 'the open position is resized when its target is said again (apply: now)',
    ),
    ...changed('stop', percent(entered.stopLossPct), percent(now.stopLossPct), stops),
    ...changed('target', percent(entered.takeProfitPct), percent(now.takeProfitPct), stops),
  ];
}

const percent = (value: number | undefined): string =>
  value === undefined ? 'none' : `${value} %`;

function heldOf(
  { id }: StrategyConfig,
  symbol: string,
  { states }: JournalFacts,
): readonly Difference[] {
  const target = readTarget(states.get(id)?.get(targetKeyOf(symbol)));
  if (target?.held === undefined) return [];
  const text =
    `${id}: its target ${target.value} of ${symbol} is given up, because ${target.held}: ` +
    `a different target acts again, or start with --resume ${symbol}`;
  return [{ kind: 'held', symbol, strategy: id, was: String(target.value), text }];
}
