import { readFileSync } from 'node:fs';

/** SHA-256 of the files of a build, hexadecimal (scripts/prepare/bundle.mjs); undefined when sources run. */
export function buildHash(): string | undefined {
  try {
    // Two levels above `lib/src/io/node`.
    const text = readFileSync(new URL('../../build.json', import.meta.url), 'utf8');
    return (JSON.parse(text) as { readonly sha256: string }).sha256;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
