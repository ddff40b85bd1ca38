import { inspect } from 'node:util';

const REDACTED = '[redacted]';
const MAX_LENGTH = 4_096;
/** Visible ASCII. A line break would inject a header. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

let reveal: (secret: Secret) => string;

/**
 * The API secret. JSON, text, inspection and structured clones hold "[redacted]" or nothing. Only
 * `authenticationHeaders` reads it.
 */
export class Secret {
  readonly #text: string;

  static {
    reveal = (secret) => secret.#text;
  }

  /** @throws RangeError for a text that is no valid header value; the message does not repeat it */
  constructor(text: string) {
    if (text.length > MAX_LENGTH || !HEADER_TEXT.test(text)) {
      throw new RangeError(
        `The API secret must be 1 to ${MAX_LENGTH} visible ASCII characters, without blanks or line breaks`,
      );
    }
    this.#text = text;
  }

  /** Removes the secret from a text of external origin. */
  redact(text: string): string {
    return text.replaceAll(this.#text, REDACTED);
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** A fixed secret, or one that can be rotated. */
export type SecretSource = Secret | SecretHolder;

/**
 * The secret of a running process. It can be replaced when the venue no longer accepts it. `redact`
 * removes previous secrets too.
 */
export class SecretHolder {
  #current: Secret;
  readonly #previous: Secret[] = [];

  constructor(secret: Secret) {
    this.#current = secret;
  }

  /**
   * Takes effect with the next request.
   * @returns false if the text is already in use
   * @throws RangeError for a text that is no valid header value; the current one stays in use
   */
  replace(text: string): boolean {
    const next = new Secret(text);
    if (reveal(this.#current) === text) return false;
    this.#previous.push(this.#current);
    this.#current = next;
    return true;
  }

  get current(): Secret {
    return this.#current;
  }

  redact(text: string): string {
    return [this.#current, ...this.#previous]
      .sort((a, b) => reveal(b).length - reveal(a).length)
      .reduce((redacted, secret) => secret.redact(redacted), text);
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** The only place that turns the secret into text (interface: authentication). */
export const authenticationHeaders = (source: SecretSource): Record<string, string> => ({
  'x-authentication': reveal(source instanceof SecretHolder ? source.current : source),
});
