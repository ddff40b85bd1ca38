/** A strategy could not be found, read, or made with its settings. Caught where the bot starts. */
export class StrategyLoadError extends Error {
  override readonly name = 'StrategyLoadError';
}
