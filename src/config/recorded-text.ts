import type { SluiceConfig } from './config.js';

/**
 * The text of a configuration as the record keeps it. The address of a hook may hold a token in its path or its query, and
 * a backup has the record: only the origin stays. A replay sends no notice.
 */
export function recordedText({ text, notify }: Pick<SluiceConfig, 'text' | 'notify'>): string {
  const urls = [notify?.webhook?.url, notify?.deadMan?.url]
    .filter((url) => url !== undefined)
    .filter(hasMoreThanOrigin)
    // One may be the beginning of another.
    .sort((a, b) => b.length - a.length);
  return urls.reduce(
    (kept, url) => kept.replaceAll(url, `${new URL(url).origin}/not-recorded`),
    text,
  );
}

/** A bare origin has no token, and may be the beginning of the venue's address. */
function hasMoreThanOrigin(url: string): boolean {
  const { pathname, search, hash } = new URL(url);
  return pathname !== '/' || search !== '' || hash !== '';
}
