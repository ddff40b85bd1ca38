import type { RunMode } from '../../config/config-schema.js';
import type { JournalRecord } from '../../execution/journal/journal-record.js';

/** Owner of a state: written first into a new journal, compared at every start. */
export interface StateOwner {
  readonly account: string;
  /** Address of the venue, with the mode in front of it where the account is not the venue's. */
  readonly venue: string;
  /** Id of the sandbox: another one at the same address has other orders. */
  readonly instance?: string;
}

/** Modes whose journal holds orders that the venue does not have. */
const PREFIXES = { paper: 'paper on ', observe: 'observe on ' } as const;

/** The owner of a paper account is the folder itself: a restarted price source does not change it. */
export function stateOwnerOf(
  { account, mode }: { readonly account: string; readonly mode: RunMode },
  baseUrl: string,
  instance?: string,
): StateOwner {
  if (mode === 'paper' || mode === 'observe')
    return { account, venue: `${PREFIXES[mode]}${baseUrl}` };
  return { account, venue: baseUrl, ...(instance !== undefined && { instance }) };
}

/** The mode that wrote a state. */
export function modeOfOwner({ venue, instance }: Omit<StateOwner, 'account'>): RunMode {
  if (venue.startsWith(PREFIXES.paper)) return 'paper';
  if (venue.startsWith(PREFIXES.observe)) return 'observe';
  return instance === undefined ? 'live' : 'sandbox';
}

/**
 * Why a state does not belong to an owner; undefined: it does.
 * @param first record of its journal
 */
export function ownerProblem(
  directory: string,
  first: JournalRecord,
  owner: StateOwner,
): string | undefined {
  if (first.type !== 'header')
    return `${directory} holds a journal without a header; it is not one of ours`;
  if (first.account !== owner.account)
    return `${directory} belongs to account ${first.account}, not ${owner.account}: give this account a state_dir of its own`;
  if (first.venue === owner.venue && first.instance === owner.instance) return undefined;
  return (
    `${directory} belongs to another venue (${ownerText(first)}), not to ${ownerText(owner)}: ` +
    'its orders are not there. Use another state_dir, or remove the folder if that venue is gone for good'
  );
}

const ownerText = ({ venue, instance }: Omit<StateOwner, 'account'>): string =>
  instance === undefined ? venue : `${venue}, sandbox ${instance}`;
