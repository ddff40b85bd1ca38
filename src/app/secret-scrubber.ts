const REPLACEMENT = '[redacted]';

/**
 * Takes secrets out of a text wherever they show up, also as JSON, URL encoding or base64 write
 * them. The last guard behind all others: it stands at the sink. Secrets may join while it runs.
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
