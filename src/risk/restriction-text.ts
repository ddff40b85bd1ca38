import type { ControlId } from './control-id.js';
import type { Restriction } from './restrictions.js';

/** A restriction for a person: its scope, cause and end. */
export function restrictionText(restriction: Restriction): string {
  const { control, symbol, to, cause } = restriction;
  const scope = symbol ?? 'the account';
  return `${scope} is restricted (${to}) by ${control}: ${cause}. Exits leave. ${endText(restriction)}`;
}

/** The end of a restriction: by itself, or by a command. */
export const endText = ({ control, symbol, class: kind }: Omit<Restriction, 'to' | 'cause'>) =>
  kind === 'self-clearing'
    ? `It ends by itself ${control === 'R15' ? 'when a read confirms it' : 'after two clean reconciliations and 60 s'}`
    : `It is latched. To end it: ${remedyOf(control, symbol)}`;

function remedyOf(control: ControlId, symbol: string | undefined): string {
  if (symbol === undefined) return 'sluice resume';
  const adopt = control === 'R22' ? `, or adopt the position: sluice resume ${symbol} --adopt` : '';
  return `sluice resume ${symbol}${adopt}`;
}
