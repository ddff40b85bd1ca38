import { readFileSync } from 'node:fs';
import { defineConfig, mergeConfig, type Plugin } from 'vitest/config';
import base from '../../../vitest.config.js';

/** Text of a source and the text of a mutant in its place, as scripts/mutants/patch.mjs finds them. */
interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** From scripts/mutants.mjs, as JSON. */
const patch = JSON.parse(process.env['SLUICE_MUTANT'] ?? 'null') as Patch | null;

/** Loads the sources with the mutant in them. */
const mutation: Plugin = {
  name: 'mutation',
  enforce: 'pre',
  load(id) {
    if (patch === null || !id.endsWith(`/${patch.file}`)) return null;
    return readFileSync(id, 'utf8').replace(patch.from, () => patch.to);
  },
};

export default mergeConfig(
  base,
  defineConfig({ plugins: [mutation], test: { maxWorkers: 1, bail: 1 } }),
);
