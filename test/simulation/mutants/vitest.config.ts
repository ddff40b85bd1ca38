import { readFileSync } from 'node:fs';
import { defineConfig, mergeConfig, type Plugin } from 'vitest/config';
import base from '../../../vitest.config.js';
import type { Mutant } from './mutant.js';

/** One sabotage as scripts/mutants.mjs hands it over: JSON of a `Mutant`. */
const mutant = JSON.parse(process.env['SLUICE_SABOTAGE'] ?? 'null') as Mutant | null;

/** Loads the sources as they would stand with the sabotage in them. */
const sabotage: Plugin = {
  name: 'sabotage',
  enforce: 'pre',
  load(id) {
    if (mutant === null || !id.endsWith(`/${mutant.file}`)) return null;
    return readFileSync(id, 'utf8').replace(mutant.from, () => mutant.to);
  },
};

export default mergeConfig(
  base,
  defineConfig({ plugins: [sabotage], test: { maxWorkers: 1, bail: 1 } }),
);
