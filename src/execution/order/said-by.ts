import type { Outcome } from '../../core/request.js';

/** What an answer says, for the journal: `yes` is the word for a yes. */
export const saidBy = (outcome: Outcome<unknown>, yes: string): string => {
  if (outcome.kind === 'yes') return yes;
  return outcome.kind === 'no' ? outcome.text : `no clear answer (${outcome.cause})`;
};
