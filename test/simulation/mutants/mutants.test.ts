import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { patchOf } from '../../../scripts/mutants/patch.mjs';
import { readSources } from '../../../scripts/transpile.mjs';
import { MUTANTS } from './mutants.js';

const at = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const sources = readSources();

describe('every mutant', () => {
  it.each(MUTANTS)('$name: its code stands once in the sources, and compiles', (mutant) => {
    const { file, from, to } = patchOf(mutant, sources);
    const parts = (sources.get(file) ?? '').split(from);
    expect(parts, file).toHaveLength(2);
    const { diagnostics } = ts.transpileModule(parts.join(to), {
      reportDiagnostics: true,
      fileName: file,
    });
    expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  });

  it('every mutant has a name of its own and a hazard', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    for (const { hazard } of MUTANTS) expect(hazard).toMatch(/^[A-NP]\d+(, [A-NP]\d+)*$/);
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
  });
});

describe('sim:mutants', () => {
  it('a mutant that only an unclear answer reveals is found, with its number of seeds', async () => {
    const { code, out, errors } = await mutants('--only', 'a timeout means failed', '--json');
    const summary: unknown = JSON.parse(out);
    expect(summary, errors).toMatchObject({ mutants: MUTANTS.length, tried: 1, found: 1 });
    expect(summary).toHaveProperty('median_seeds', expect.any(Number));
    expect(errors).toContain('P4: exposure that may land is reserved while the order is rejected');
    expect(code).toBe(0);
  });

  it('a mutant is found by the scenario that it names', async () => {
    const { code, errors } = await mutants('--only', 'a row that does not read hides nothing');
    expect(errors).toContain('scenario');
    expect(code, errors).toBe(0);
  });

  it('unknown options are refused', async () => {
    expect(await mutants('--only', 'nobody thought of this')).toMatchObject({ code: 2, out: '' });
    expect(await mutants('--seeds', '-1')).toMatchObject({ code: 2, out: '' });
  });
}, 300_000);

/** Runs the script as `npm run sim:mutants` does. */
function mutants(...args: readonly string[]) {
  return new Promise<{ code: number | null; out: string; errors: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [at('scripts/mutants.mjs'), ...args]);
    const texts = { out: '', errors: '' };
    child.stdout.on('data', (text: Buffer) => (texts.out += text.toString()));
    child.stderr.on('data', (text: Buffer) => (texts.errors += text.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, ...texts });
    });
  });
}
