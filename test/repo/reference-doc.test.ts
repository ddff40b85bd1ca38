import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/rigs/cli-runner.js';
import { undocumented } from './public-symbols.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY_POINTS = ['src/strategy/index.ts', 'src/testing/index.ts'];

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

/** The twin of `npm run docs`, which also finds types that are used and not exported. */
describe('the reference', () => {
  it('has something to say of every public symbol', () => {
    expect(undocumented(ENTRY_POINTS.map((entryPoint) => join(ROOT, entryPoint)))).toEqual([]);
  }, 120_000);

  it('would notice each kind of symbol that says nothing', () => {
    mkdirSync(folder.path, { recursive: true });
    const file = join(folder.path, 'face.ts');
    writeFileSync(file, SAMPLE_ENTRY);
    const names = undocumented([file]).map((one) => one.replace(/^.* /, ''));
    expect(names.sort()).toEqual(
      ['Bare', 'Told.quiet', 'Told.quiet', 'Worker.more', 'quietly', 'silent'].sort(),
    );
  }, 120_000);
});

const SAMPLE_ENTRY = `
export interface Bare {}
/** Told. */
export interface Told {
  /** Told. */
  readonly told: number;
  readonly quiet: number;
  /** Told, with something inside. */
  readonly inner: { readonly quiet: string };
}
/** Told. */
export class Worker implements Pick<Told, 'told'> {
  told = 1;
  #hidden = 2;
  get more(): number { return this.#hidden; }
}
/** Told. */
export const told = { part: 1 };
export const silent = 1;
export function quietly(): void {}
export { z } from 'zod';
`;
