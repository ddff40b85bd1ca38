import { textFromFixed } from '../core/fixed.js';
import { oneLine } from '../core/terminal-text.js';
import type { Engine } from '../engine/engine.js';
import { strategyErrorText, type StrategyError } from '../strategy/host/strategy-error.js';

/** Of every strategy of a run, in the order of the configuration. */
export const strategyErrors = ({ hosts }: Pick<Engine, 'hosts'>): readonly StrategyError[] =>
  hosts.flatMap(({ errors }) => errors);

/** The failures of the strategies, with the state and the position of each; the first lines of a summary. */
export function strategyFailureLines(engine: Engine): readonly string[] {
  return engine.hosts
    .filter(({ errors }) => errors.length > 0)
    .flatMap((host) => {
      const { id, state, errors } = host;
      const now = state === 'failed' ? 'has failed and is no longer called' : 'is still called';
      return [
        ...errors.map((error) => `error: ${oneLine(strategyErrorText(error))}`),
        `strategy ${id} ${now}; its position: ${heldText(engine, host.symbols)}`,
      ];
    });
}

const heldText = ({ positions, currency }: Engine, symbols: readonly string[]): string =>
  symbols
    .map((symbol) => ({ symbol, quantity: positions.own(symbol, currency) }))
    .filter(({ quantity }) => quantity !== 0)
    .map(({ symbol, quantity }) => `${textFromFixed(quantity)} ${symbol}`)
    .join(', ') || 'none';
