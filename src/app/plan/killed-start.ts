import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { recoverFlatten } from '../../execution/recovery/recovered-flatten.js';
import { EXIT } from '../exit-code.js';
import { unfinishedText } from './plan-text.js';
import type { Plan } from './plan.js';

/** The acts of a start while the file of the kill switch exists. */
export interface KilledStart {
  readonly file: string;
  /** Without a journal there is nothing to take back: it is refused at once. */
  readonly refused: boolean;
  /** Orders of the journal that have not ended. */
  readonly cancels: number;
  /** The flatten that the journal holds; null: none. */
  readonly flatten: string | null;
  readonly exit_code: number;
  readonly text: string;
}

/** @param records of the journal; undefined: there is none */
export function killedStart(
  file: string,
  records: readonly JournalRecord[] | undefined,
  { unfinished }: Pick<Plan, 'unfinished'>,
): KilledStart {
  const flatten = recoverFlatten(records ?? [])?.text ?? null;
  const does =
    records === undefined
      ? 'A start is refused at once, because there is no journal, and'
      : `A start ${cancelText(unfinished)}, ${flattenText(flatten)}, places nothing else and`;
  return {
    file,
    refused: records === undefined,
    cancels: unfinished.length,
    flatten,
    exit_code: EXIT.refused,
    text: `the kill switch is set: ${file} exists. ${does} exits with code ${EXIT.refused}; remove the file to trade`,
  };
}

const cancelText = (unfinished: Plan['unfinished']): string =>
  unfinished.length === 0
    ? 'has no order to cancel'
    : `cancels the orders that have not ended (${unfinishedText(unfinished)})`;

const flattenText = (flatten: string | null): string =>
  flatten === null
    ? 'has no flatten to go on with'
    : `goes on with the flatten of the journal (${flatten})`;
