import type { Mutant } from './mutant.js';

/** Sabotages of what no seed of the swarm asks for: a scenario of its own has to find each. */
export const SCENARIO_MUTANTS: readonly Mutant[] = [
  {
    name: 'a flatten is not journaled',
    in: 'Flatten.start',
    find: "this.#parts.journal.flatten(commandId, 'wanted', text);",
    replace: '',
    hazard: 'J7',
    scenario: 'test/simulation/flatten.test.ts',
  },
  {
    name: 'a flatten does not look again at what is left',
    in: 'Flatten.#closeRemaining',
    find: 'this.#scheduleRetry();',
    replace: '',
    hazard: 'A8',
    scenario: 'src/engine/operator/flatten.test.ts',
  },
  {
    name: 'what a flatten has closed at a start may be bought back',
    in: 'Flatten.#finish',
    find: 'if (request.isBeforeStrategies) this.#notifyClosed(request.commandId);',
    replace: '',
    hazard: 'J7',
    scenario: 'test/simulation/change-while-open.test.ts',
  },
  {
    name: 'a strategy trades while the kill switch stands',
    in: 'StartupGate.#mustHostsWait',
    find: 'return tradingState.isKilled || operator.flatten.isActive;',
    replace: 'return operator.flatten.isActive;',
    hazard: 'J1',
    scenario: 'src/engine/operator/flatten.test.ts',
  },
  {
    name: 'what a person has sold is bought back',
    in: 'TargetTracker.onPositionChangedWhileDown',
    find: "this.#suspend(why, 'hand');",
    replace: '',
    hazard: 'J7',
    scenario: 'test/simulation/change-while-open.test.ts',
  },
  {
    name: 'a refusal that passes ends the target',
    in: 'TargetExecutor.#onSubmitted',
    find: "else if (verdict === 'refused-for-now') this.#postpone();",
    replace: '',
    hazard: 'J1',
    scenario: 'src/strategy/target/target-tracker.test.ts',
  },
  {
    name: 'history is judged by the time at which an order was made',
    in: 'HistoryMonitor.#isNew',
    find: 'const isSince = Math.max(createdAt, updatedAt) >= this.#checkedFrom;',
    replace: 'const isSince = createdAt >= this.#checkedFrom && updatedAt > 0;',
    hazard: 'J9',
    scenario: 'src/engine/watch/history-monitor.test.ts',
  },
  {
    name: 'a row that does not read hides nothing',
    in: 'UnreadableSymbols.reason',
    find: 'if (reason !== undefined) return reason;',
    replace: '',
    hazard: 'J9',
    scenario: 'src/engine/account/unreadable-symbols.test.ts',
  },
];
