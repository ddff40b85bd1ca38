/** A strategy could not be found, read, or made with its settings. Caught where the bot starts. */
export class StrategyLoadError extends Error {
  override readonly name: string = 'StrategyLoadError';
}

/** There is no such file, folder, package or shipped name; the message says where was looked. */
export class StrategyNotFoundError extends StrategyLoadError {
  override readonly name = 'StrategyNotFoundError';
}
