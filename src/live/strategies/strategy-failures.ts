import type { Logger } from '../../core/ports.js';
import type { Note } from '../../execution/effects.js';
import { leadingLocation, type SourceLocation } from '../../strategy/host/failure-location.js';
import { StrategyLoadError } from '../../strategy/loader/load-error.js';
import type { StrategyInstanceInputs, ThreadedStrategy } from './strategy-instances.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import { oneLine } from '../../core/terminal-text.js';
import type { Engine } from '../../engine/engine.js';
import { strategyErrorText, type StrategyError } from '../../strategy/host/strategy-error.js';

/** Errors of every strategy of a run, in the order of the configuration. */
export const strategyErrors = ({ hosts }: Pick<Engine, 'hosts'>): readonly StrategyError[] =>
  hosts.flatMap(({ errors }) => errors);

/** Failures of the strategies, with the state and the position of each; the first lines of a summary. */
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
    .map((symbol) => ({ symbol, quantity: positions.ownQuantity(symbol, currency) }))
    .filter(({ quantity }) => quantity !== 0)
    .map(({ symbol, quantity }) => `${textFromFixed(quantity)} ${symbol}`)
    .join(', ') || 'none';

/** Adds the source line to the error of a strategy whose creation did not return: its thread knows it. */
export async function withFailureLocation(
  error: unknown,
  strategies: StrategyInstanceInputs['strategies'],
): Promise<unknown> {
  if (!(error instanceof StrategyLoadError)) return error;
  for (const strategy of strategies) {
    const found = 'thread' in strategy ? await strategy.thread.describeFailure() : undefined;
    if (found !== undefined) return new StrategyLoadError(`${error.message}\n  ${found}`);
  }
  return error;
}

/** Logs the source line of a failed strategy, which its thread finds a moment after the failure. */
export async function logFailureLocation(
  { config: { id }, thread }: ThreadedStrategy,
  { logger, notice }: { readonly logger: Logger; readonly notice?: (note: Note) => void },
  onLocated: (place: SourceLocation) => void,
): Promise<void> {
  const found = await thread.describeFailure();
  if (found === undefined) return;
  const place = leadingLocation(found);
  if (place !== undefined) onLocated(place);
  const note: Note = { level: 'error', text: `${id}: ${found}`, fields: { strategy: id } };
  logger.error(note.fields ?? {}, note.text);
  notice?.(note);
}
