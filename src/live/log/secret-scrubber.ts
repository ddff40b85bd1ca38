const REPLACEMENT = '[redacted]';

/**
 * Replaces secrets wherever they occur in a text, also in their JSON, URL and base64 encodings. It is the
 * last guard, at the sink of the log. Secrets may be added while it runs.
 */
export function secretScrubber(secrets: Iterable<string>): (text: string) => string {
  let known: readonly string[] = [];
  let forms: readonly string[] = [];
  return (text) => {
    const now = [...secrets];
    if (now.length !== known.length) {
      known = now;
      forms = formsOf(now);
    }
    return forms.reduce((clean, form) => clean.replaceAll(form, REPLACEMENT), text);
  };
}

function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = new Set(secrets.filter((secret) => secret !== '').flatMap(writtenForms));
  // The longest first: a form may hold a shorter one.
  return [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

const writtenForms = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, ''),
  Buffer.from(secret, 'utf8').toString('base64url'),
  Buffer.from(secret, 'utf8').toString('hex'),
];
