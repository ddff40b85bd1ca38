import type { StrategyConfig } from '../../config/config-strategy.js';
import { UsageError } from '../../core/command-errors.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import { ENGINE_ID } from '../../engine/engine-exit.js';
import type { JournalRecordOf } from '../../execution/journal/journal-record.js';
import { entryStateKey, withEntryLeverage } from '../../strategy/contract/entry-settings.js';
import { exitStateKey } from '../../strategy/target/exit-manager.js';
import { targetStateKey } from '../../strategy/target/persisted-target.js';
import { differencesOf } from './difference.js';
import type { JournaledPosition, JournalFacts, UnfinishedOrderFacts } from './journal-facts.js';

/** A person's request about everything that a strategy id of the journal holds. */
export type OwnershipRequest =
  | { readonly decision: 'rename'; readonly id: string; readonly to: string }
  | { readonly decision: 'adopt'; readonly id: string }
  | { readonly decision: 'retire'; readonly id: string; readonly close: boolean };

export interface OwnershipInputs {
  readonly strategies: readonly StrategyConfig[];
  readonly facts: JournalFacts;
  /** Path of the configuration, for messages. */
  readonly configPath: string;
  /** Venue ms of the newest record. */
  readonly venueTime: number;
  /** ms UTC of this machine. */
  readonly decidedAt: number;
  readonly reason: string;
}

export type OwnershipRecord = JournalRecordOf<'ownership'>;

interface Holding {
  readonly positions: readonly JournaledPosition[];
  readonly orders: readonly UnfinishedOrderFacts[];
}

/**
 * The records of a decision, one for each new owner.
 * @throws UsageError when it cannot be carried out, with the remedy
 */
export function decideOwnership(
  request: OwnershipRequest,
  inputs: OwnershipInputs,
): readonly OwnershipRecord[] {
  requireKnown(request.id, inputs);
  switch (request.decision) {
    case 'rename':
      return [renamed(request, inputs)];
    case 'adopt':
      return adopted(request.id, inputs);
    case 'retire':
      return [retired(request, inputs)];
  }
}

/** Positions and unfinished orders of an id. */
export const holdingOf = (id: string, { positions, unfinished }: JournalFacts): Holding => ({
  positions: [...positions.values()].filter(({ openedBy }) => openedBy === id),
  orders: unfinished.filter(({ strategyId, isWanted }) => strategyId === id && isWanted),
});

function requireKnown(id: string, { facts, strategies }: OwnershipInputs): void {
  if (facts.ids.has(id) && id !== ENGINE_ID) return;
  const known = [...facts.ids].filter((each) => each !== ENGINE_ID);
  const configured = strategies.some((strategy) => strategy.id === id);
  throw new UsageError(
    known.length === 0
      ? `the journal has no strategy ${id}, because no strategy has traded: there is nothing to decide`
      : `the journal has no strategy ${id}${configured ? ', only the configuration has' : ''}: it has ${known.join(', ')}`,
  );
}

function requireRemoved(id: string, { strategies, configPath }: OwnershipInputs, else_: string) {
  if (strategies.every((strategy) => strategy.id !== id)) return;
  throw new UsageError(
    `${id} is still configured: remove it from ${configPath} first, or ${else_}`,
  );
}

function renamed(
  { id, to }: Extract<OwnershipRequest, { readonly decision: 'rename' }>,
  inputs: OwnershipInputs,
): OwnershipRecord {
  const { strategies, facts, configPath } = inputs;
  requireRemoved(id, inputs, `sluice strategy adopt ${id} where another strategy takes its symbol`);
  const owner = strategies.find((strategy) => strategy.id === to);
  if (owner === undefined) {
    const ids = strategies.map((strategy) => strategy.id).join(', ');
    throw new UsageError(
      `no strategy ${to} is configured: rename ${id} to ${to} in ${configPath} first; the ids are ${ids}`,
    );
  }
  const held = facts.ids.has(to) || holdingOf(to, facts).positions.length > 0;
  if (held)
    throw new UsageError(
      `${to} has orders or a state of its own in the journal, which a rename would mix with that of ${id}: sluice strategy adopt ${id} gives it the positions alone`,
    );
  const holding = holdingOf(id, facts);
  const others = symbolsOf(holding).filter((symbol) => !owner.symbols.includes(symbol));
  if (others.length > 0)
    throw new UsageError(
      `${id} holds ${others.join(', ')}, which ${to} does not trade: add it to symbols of ${to} in ${configPath}, or sluice strategy retire ${id}`,
    );
  const states = [...(facts.states.get(id) ?? [])];
  return {
    ...headOf('rename', id, inputs),
    to,
    symbols: symbolsOf(holding),
    orders: [],
    kept: states.map(([key, state]) => ({ key, ...state })),
    dropped: states.map(([key]) => key),
    ...tailOf(inputs),
  };
}

function adopted(id: string, inputs: OwnershipInputs): readonly OwnershipRecord[] {
  const { strategies, facts, configPath } = inputs;
  const holding = holdingOf(id, facts);
  const changed = new Set(changedLeverage(id, inputs));
  const isOf = (taker: StrategyConfig, symbol: string): boolean =>
    taker.symbols.includes(symbol) && (taker.id !== id || changed.has(symbol));
  const ownSymbols = strategies.find((each) => each.id === id)?.symbols ?? [];
  const symbols = symbolsOf(holding);
  const untraded = symbols.filter((symbol) =>
    strategies.every((each) => !each.symbols.includes(symbol)),
  );
  if (untraded.length > 0)
    throw new UsageError(
      `no configured strategy trades ${untraded.join(', ')}, which ${id} holds: configure one in ${configPath}, or sluice strategy retire ${id}`,
    );
  const undecided = symbols.filter((symbol) => !ownSymbols.includes(symbol) || changed.has(symbol));
  if (undecided.length === 0)
    throw new UsageError(
      symbols.length === 0
        ? `${id} holds no position and no unfinished order: there is nothing to adopt`
        : `${id} trades ${symbols.join(', ')} itself, as configured: there is nothing to adopt`,
    );
  return strategies.flatMap((taker) => {
    const taken = undecided.filter((symbol) => isOf(taker, symbol));
    return taken.length === 0 ? [] : [adoptedBy(taker, { id, symbols: taken }, inputs)];
  });
}

function adoptedBy(
  taker: StrategyConfig,
  { id, symbols }: { readonly id: string; readonly symbols: readonly string[] },
  inputs: OwnershipInputs,
): OwnershipRecord {
  const { facts } = inputs;
  const states = facts.states.get(id);
  const leverage = textFromFixed(taker.leverage);
  const kept = symbols.flatMap((symbol) => {
    const [entryKey, exitKey] = [entryStateKey(symbol), exitStateKey(symbol)];
    const [entry, exits] = [states?.get(entryKey), states?.get(exitKey)];
    return [
      ...(entry === undefined ? [] : [{ key: entryKey, ...withEntryLeverage(entry, leverage) }]),
      ...(exits === undefined || taker.id === id ? [] : [{ key: exitKey, ...exits }]),
    ];
  });
  const keys = symbols.flatMap((symbol) => [
    targetStateKey(symbol),
    entryStateKey(symbol),
    exitStateKey(symbol),
  ]);
  return {
    ...headOf('adopt', id, inputs),
    to: taker.id,
    symbols: [...symbols],
    orders: holdingOf(id, facts)
      .orders.filter(({ symbol }) => symbols.includes(symbol))
      .map(({ clientOrderId }) => clientOrderId),
    kept,
    dropped: taker.id === id ? [] : keys.filter((key) => states?.has(key) === true),
    ...tailOf(inputs),
  };
}

/** Symbols of an id whose open position was entered with another leverage than configured. */
const changedLeverage = (id: string, { strategies, facts }: OwnershipInputs): readonly string[] =>
  differencesOf(strategies, facts)
    .filter(({ kind, strategy }) => kind === 'leverage' && strategy === id)
    .map(({ symbol }) => symbol);

function retired(
  { id, close }: Extract<OwnershipRequest, { readonly decision: 'retire' }>,
  inputs: OwnershipInputs,
): OwnershipRecord {
  const { facts } = inputs;
  requireRemoved(id, inputs, `sluice strategy stop ${id}${close ? ' --close' : ''}`);
  const { positions, orders } = holdingOf(id, facts);
  const pending = orders.map(({ symbol }) => symbol).filter((each) => !facts.positions.has(each));
  return {
    ...headOf('retire', id, inputs),
    symbols: [...new Set([...positions.map(({ symbol }) => symbol), ...pending])],
    ...(close && { close }),
    orders: orders.filter(({ isEntry }) => isEntry).map(({ clientOrderId }) => clientOrderId),
    kept: [],
    dropped: [...(facts.states.get(id)?.keys() ?? [])],
    ...tailOf(inputs),
  };
}

const symbolsOf = ({ positions, orders }: Holding): string[] => [
  ...new Set([...positions, ...orders].map(({ symbol }) => symbol)),
];

const headOf = (
  decision: OwnershipRecord['decision'],
  strategyId: string,
  { venueTime }: OwnershipInputs,
) => ({ type: 'ownership' as const, venueTime, decision, strategyId });

const tailOf = ({ reason, decidedAt }: OwnershipInputs) => ({ reason, decidedAt });
