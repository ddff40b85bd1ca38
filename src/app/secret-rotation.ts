import type { Logger } from '../core/ports.js';
import type { SecretHolder } from '../venue/futures-api/secret.js';
import { ConfigError } from './failure.js';
import { readSecretFile } from './secret-file.js';

export interface SecretRotationParts {
  /** undefined: the secret came from elsewhere, and cannot be read again. */
  readonly file?: string;
  /** Where it came from, for messages. */
  readonly from: string;
  readonly holder: SecretHolder;
  /** What the log's scrubber replaces: a secret joins before anything can show it. */
  readonly scrubbed: Set<string>;
  readonly logger: Logger;
}

/** Reads the secret of a running daemon again, one time after the other. */
export class SecretRotation {
  readonly #parts: SecretRotationParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: SecretRotationParts) {
    this.#parts = parts;
  }

  /**
   * A file that cannot be taken is told, and the secret in use stays.
   * @returns whether it was read
   */
  readAgain(): Promise<boolean> {
    const reading = this.#last.then(() => this.#read());
    this.#last = reading;
    return reading;
  }

  async #read(): Promise<boolean> {
    const { file, from, logger } = this.#parts;
    if (file === undefined) {
      logger.warn(
        {},
        `SIGHUP: the secret came from ${from} and cannot be read again: name a file by venue.api_secret_file and start again`,
      );
      return false;
    }
    try {
      this.#take(file, await readSecretFile(file));
      return true;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      logger.error({}, `SIGHUP: ${error.message}; the secret in use stays`);
      return false;
    }
  }

  #take(file: string, text: string): void {
    const { scrubbed, holder, logger } = this.#parts;
    scrubbed.add(text);
    const isNew = holder.replace(text);
    logger.info(
      {},
      isNew
        ? `SIGHUP: ${file} was read again: its new secret is in use from now on`
        : `SIGHUP: ${file} was read again: it holds the secret in use`,
    );
  }
}
