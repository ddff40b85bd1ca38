/** An invalid file of market data. The message names file, line and column, and states the remedy. */
export class CandleFileError extends Error {
  override readonly name = 'CandleFileError';
}
