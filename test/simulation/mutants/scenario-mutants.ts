import type { Mutant } from './mutant.js';

const LANE = 'src/strategy/lane.ts';
const FLATTEN = 'src/engine/operator/flatten.ts';
const HISTORY = 'src/engine/watch/history-watch.ts';

/** Sabotages of what no seed of the swarm asks for: a scenario of its own has to find each. */
export const SCENARIO_MUTANTS: readonly Mutant[] = [
  {
    name: 'a flatten is not journaled',
    file: FLATTEN,
    from: "    this.#parts.journal.flatten(commandId, 'wanted', text);\n",
    to: '',
    hazard: 'J7',
    scenario: 'test/simulation/flatten.test.ts',
  },
  {
    name: 'a flatten does not look again at what is left',
    file: FLATTEN,
    from: '    this.#again();\n',
    to: '',
    hazard: 'A8',
    scenario: 'src/engine/operator/flatten.test.ts',
  },
  {
    name: 'what a flatten has closed at a start may be bought back',
    file: FLATTEN,
    from: '    if (wish.isInherited) this.#tellClosed(wish.commandId);\n',
    to: '',
    hazard: 'J7',
    scenario: 'test/simulation/change-while-open.test.ts',
  },
  {
    name: 'a strategy trades while the kill switch stands',
    file: 'src/engine/beginning.ts',
    from: 'return standing.killed || operator.flatten.comesFirst;',
    to: 'return operator.flatten.comesFirst;',
    hazard: 'J1',
    scenario: 'src/engine/operator/flatten.test.ts',
  },
  {
    name: 'what a person has sold is bought back',
    file: LANE,
    from: "    this.#hold(why, 'hand');\n",
    to: '',
    hazard: 'J7',
    scenario: 'test/simulation/change-while-open.test.ts',
  },
  {
    name: 'a refusal that passes ends the target',
    file: LANE,
    from: "    else if (verdict === 'refused-for-now') this.#postpone();\n",
    to: '',
    hazard: 'J1',
    scenario: 'src/strategy/lane.test.ts',
  },
  {
    name: 'history is judged by the time at which an order was made',
    file: HISTORY,
    from: 'const isSince = Math.max(createdAt, updatedAt) >= this.#from;',
    to: 'const isSince = createdAt >= this.#from && updatedAt > 0;',
    hazard: 'J9',
    scenario: 'src/engine/watch/history-watch.test.ts',
  },
  {
    name: 'a row that does not read hides nothing',
    file: 'src/engine/unreadable-symbols.ts',
    from: '      if (reason !== undefined) return reason;\n',
    to: '',
    hazard: 'J9',
    scenario: 'src/engine/unreadable-symbols.test.ts',
  },
];
