import type { SluiceConfig } from '../../../config/config.js';
import { UsageError } from '../../../core/command-errors.js';

/**
 * The configuration of `--observe`: that of a live run, with a state folder of its own beside it.
 * @throws UsageError for another mode
 */
export function observedConfig(config: SluiceConfig): SluiceConfig {
  const { mode, stateDir } = config;
  if (mode === 'observe') return config;
  if (mode === 'live') return { ...config, mode: 'observe', stateDir: `${stateDir}-observe` };
  throw new UsageError(
    `${config.locate(['mode'])} --observe is for mode: live, and this is mode: ${mode}`,
  );
}
