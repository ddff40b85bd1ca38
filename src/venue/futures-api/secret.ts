import { inspect } from 'node:util';

const REDACTED = '[redacted]';
const MAX_LENGTH = 4_096;
/** What an HTTP header may carry: visible ASCII. A line break would inject a header (S-16). */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

let reveal: (secret: Secret) => string;

/**
 * The API secret. It shows itself to nobody: JSON, text, inspection and structured clones hold
 * "[redacted]" or nothing (reliability S-02). Only `authenticationHeaders` reads it.
 */
export class Secret {
  readonly #text: string;

  static {
    reveal = (secret) => secret.#text;
  }

  /** @throws RangeError when the text cannot stand in a header; the message does not repeat it */
  constructor(text: string) {
    if (text.length > MAX_LENGTH || !HEADER_TEXT.test(text)) {
      throw new RangeError(
        `The API secret must be 1 to ${MAX_LENGTH} visible ASCII characters, without blanks or line breaks`,
      );
    }
    this.#text = text;
  }

  /** The text without the secret in it: for words that came from outside. */
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

/** What redacts, and what `authenticationHeaders` reads: one secret, or the one of the moment. */
export type SecretSource = Secret | SecretHolder;

/**
 * The secret of a running process: it can be replaced when the venue no longer accepts it. Words from
 * outside are cleared of the ones before, too.
 */
export class SecretHolder {
  #current: Secret;
  readonly #before: Secret[] = [];

  constructor(secret: Secret) {
    this.#current = secret;
  }

  /**
   * From the next request on. The text that is already in use changes nothing.
   * @returns false when it is the text in use
   * @throws RangeError when the text cannot stand in a header; the one in use stays
   */
  replace(text: string): boolean {
    const next = new Secret(text);
    if (reveal(this.#current) === text) return false;
    this.#before.push(this.#current);
    this.#current = next;
    return true;
  }

  get current(): Secret {
    return this.#current;
  }

  redact(text: string): string {
    return [this.#current, ...this.#before]
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

/** The one place where the secret becomes text (interface, Authentication). */
export const authenticationHeaders = (source: SecretSource): Record<string, string> => ({
  'x-authentication': reveal(source instanceof SecretHolder ? source.current : source),
});
