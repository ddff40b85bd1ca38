import { CONTROL_IDS, type ControlId } from '../control-id.js';
import { ACCOUNT_CONTROLS } from './account-controls.js';
import type { ControlEntry } from './control-entry.js';
import { LIMIT_ENTRIES } from './limit-catalog.js';
import type { LimitEntry } from './limit-entry.js';
import { MARKET_CONTROLS } from './market-controls.js';
import { OPERATION_CONTROLS } from './operation-controls.js';
import { ORDER_CONTROLS } from './order-controls.js';

/** Every control in the order of the ids. A new control adds one entry, and one for each of its limits. */
export const CONTROL_ENTRIES: readonly ControlEntry[] = [
  ...ORDER_CONTROLS,
  ...ACCOUNT_CONTROLS,
  ...MARKET_CONTROLS,
  ...OPERATION_CONTROLS,
].sort((a, b) => CONTROL_IDS.indexOf(a.id) - CONTROL_IDS.indexOf(b.id));

/** The limits of a control. */
export const limitsOfControl = (id: ControlId): readonly LimitEntry[] =>
  LIMIT_ENTRIES.filter(({ control }) => control === id);

/** Keys of a control in the `risk:` block, groups without their members. */
export const keysOfControl = ({ id, alwaysOnKey }: ControlEntry): readonly string[] => [
  ...new Set([
    ...limitsOfControl(id).map(({ key }) => key.replace(/\..*/, '')),
    ...(alwaysOnKey === undefined ? [] : [alwaysOnKey]),
  ]),
];

/** Every name that `findControl` knows: ids, keys, and members of groups. */
export const CONTROL_NAMES: readonly string[] = [
  ...CONTROL_ENTRIES.flatMap((entry) => [entry.id, ...keysOfControl(entry)]),
  ...LIMIT_ENTRIES.map(({ key }) => key),
];

/** The control of an id (`R19`, `r19`) or of a key (`max_drawdown_pct`). */
export function findControl(name: string): ControlEntry | undefined {
  const wanted = name.toLowerCase();
  const limit = LIMIT_ENTRIES.find(({ key }) => key === wanted);
  return CONTROL_ENTRIES.find(
    (entry) =>
      entry.id.toLowerCase() === wanted ||
      entry.id === limit?.control ||
      keysOfControl(entry).includes(wanted),
  );
}
