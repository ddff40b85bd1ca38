import type { Engine } from '../../../../src/engine/engine.js';

/**
 * Whether exits and stops leave: in each mode of a reconciled account. Only kill level `cancel` and the end
 * of the run hold them; a restriction, latched or not, never does.
 */
export const exitsLeave = ({ mode, killLevel, haltReason }: Engine): boolean =>
  haltReason === undefined &&
  killLevel !== 'cancel' &&
  mode !== 'STARTING' &&
  mode !== 'RECONCILING';
