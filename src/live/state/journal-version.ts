import { JOURNAL_VERSION } from '../../execution/journal/journal-schema.js';

const VERSION = /^\{"v":(?<version>\d+),/;
const LONGEST = 24;

/** The newest version among stored journal records; that of this program where there are none. */
export function newestVersionOf(payloads: readonly Uint8Array[]): number {
  const decoder = new TextDecoder();
  const versions = payloads.flatMap((bytes) => {
    const found = VERSION.exec(decoder.decode(bytes.subarray(0, LONGEST)))?.groups?.['version'];
    return found === undefined ? [] : [Number(found)];
  });
  return versions.length === 0 ? JOURNAL_VERSION : versions.reduce((a, b) => Math.max(a, b));
}
