import type { Restriction } from '../../risk/restrictions.js';
import type { RestrictionStatus, StatusReport } from './status-report.js';

export const restrictionStatus = ({
  control,
  symbol,
  to,
  class: kind,
  cause,
}: Restriction): RestrictionStatus => ({
  control,
  symbol: symbol ?? null,
  mode: to,
  class: kind,
  cause,
});

/** Causes of the account's restrictions, with the control that raised each. */
export const accountCauses = (restrictions: readonly Restriction[]): readonly string[] =>
  restrictions
    .filter(({ symbol }) => symbol === undefined)
    .map(({ control, cause }) => `${control}: ${cause}`);

/** The restricted symbols; of several restrictions of one symbol the newest is shown. */
export const symbolStatuses = (restrictions: readonly Restriction[]): StatusReport['symbols'] =>
  Object.fromEntries(
    restrictions.flatMap(({ symbol, to: mode, control, cause }) =>
      symbol === undefined ? [] : [[symbol, { mode, cause: `${control}: ${cause}` }] as const],
    ),
  );
