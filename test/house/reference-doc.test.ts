import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../harness/command-line.js';
import { undocumented } from './public-symbols.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FACES = ['src/strategy/index.ts', 'src/backtest/testing.ts'];

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

/** The twin of `npm run docs`, which also finds types that are used and not exported. */
describe('the reference', () => {
  it('has something to say of every public symbol', () => {
    expect(undocumented(FACES.map((face) => join(ROOT, face)))).toEqual([]);
  }, 120_000);

  it('would notice each kind of symbol that says nothing', () => {
    mkdirSync(folder.path, { recursive: true });
    const file = join(folder.path, 'face.ts');
    writeFileSync(file, FACE);
    const names = undocumented([file]).map((one) => one.replace(/^.* /, ''));
    expect(names.sort()).toEqual(
      ['Bare', 'Told.quiet', 'Told.quiet', 'Worker.more', 'quietly', 'silent'].sort(),
    );
  }, 120_000);
});

const FACE = `
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
