const REPLACEMENT = '[redacted]';

/**
 * Takes secrets out of a text wherever they show up, also as JSON, URL encoding or base64 write
 * them. The last guard behind all others: it stands at the sink.
 */
export function secretScrubber(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret) => secret !== '').flatMap(writtenForms));
  // The longest first: a form may hold a shorter one.
  const ordered = [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, REPLACEMENT), text);
}

const writtenForms = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, ''),
  Buffer.from(secret, 'utf8').toString('base64url'),
  Buffer.from(secret, 'utf8').toString('hex'),
];
