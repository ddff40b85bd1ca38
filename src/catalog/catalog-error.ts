import { CommandFailure } from '../core/command-errors.js';
import { EXIT } from '../core/exit-code.js';

/** The catalogue cannot be read or written as asked. The message names the file and the remedy. */
export class CatalogError extends CommandFailure {
  override readonly name = 'CatalogError';
  readonly exitCode = EXIT.failed;
}
