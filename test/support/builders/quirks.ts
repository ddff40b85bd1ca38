import { resolveBehavior } from '../../../src/sandbox/behavior/behavior-choices.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';

/** `SLUICE_QUIRKS=field` runs what is served here as it was seen in the field (npm run test:field). */
export const isField = process.env['SLUICE_QUIRKS'] === 'field';

/** Options of a sandbox with the chosen quirks; what a test itself asks for stands over them. */
export function applyQuirks(options: SandboxOptions): SandboxOptions {
  if (!isField) return options;
  const choices = resolveBehavior({ quirks: 'field' });
  return {
    ...options,
    faults: [...choices.faults, ...(options.faults ?? [])],
    assumptions: { ...choices.assumptions, ...options.assumptions },
    switches: { ...choices.switches, ...options.switches },
    quirks: [...new Set([...choices.quirks, ...(options.quirks ?? [])])],
  };
}

/** The same for a configuration whose sandbox is embedded. */
export const applyQuirksToConfig = (yaml: string): string =>
  isField ? yaml.replace('embedded: { ', 'embedded: { quirks: field, ') : yaml;

/** What a test did at the exchange itself is not shown yet by reads that lag. */
export const waitForReadLag = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, isField ? 500 : 0));
