/** A strategy could not be found, read, or created with its settings. The start of the bot catches it. */
export class StrategyLoadError extends Error {
  override readonly name: string = 'StrategyLoadError';
}

/** There is no such file, folder, package or shipped name; the message lists the searched places. */
export class StrategyNotFoundError extends StrategyLoadError {
  override readonly name = 'StrategyNotFoundError';
}
