import type { Logger } from '../../core/ports.js';
import type { SecretHolder } from '../../venue/futures-api/http/secret.js';
import { ConfigError } from '../../core/command-errors.js';
import { readSecretFile } from '../../config/secret-file.js';

export interface SecretRotationParts {
  /** undefined: the secret came from another source, and cannot be read again. */
  readonly file?: string;
  /** Source of the secret, for messages. */
  readonly from: string;
  readonly holder: SecretHolder;
  /** Secrets that the log's scrubber replaces: a new secret is added before any line can show it. */
  readonly scrubbed: Set<string>;
  readonly logger: Logger;
}

/** Reads the secret of a running daemon again, one request after the other. */
export class SecretRotation {
  readonly #parts: SecretRotationParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: SecretRotationParts) {
    this.#parts = parts;
  }

  /**
   * An invalid file is reported, and the current secret stays in use.
   * @returns whether it was read
   */
  reload(): Promise<boolean> {
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
      this.#apply(file, await readSecretFile(file));
      return true;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      logger.error({}, `SIGHUP: ${error.message}; the secret in use stays`);
      return false;
    }
  }

  #apply(file: string, text: string): void {
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
