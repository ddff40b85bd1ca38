import type { JournalRecord } from '../../../execution/journal/journal-record.js';
import { recoverFlatten } from '../../../execution/recovery/recovered-flatten.js';
import { EXIT } from '../../../core/exit-code.js';
import { unfinishedText } from '../../../live/plan/plan-text.js';
import type { StartPlan } from '../../../live/plan/start-plan.js';

/** Forecast of a start while the file of the kill switch exists. */
export interface KillSwitchStart {
  readonly file: string;
  /** Without a journal there is nothing to cancel, so the start is refused at once. */
  readonly refused: boolean;
  /** How many orders of the journal have not ended. */
  readonly cancels: number;
  /** The unfinished flatten of the journal; null: none. */
  readonly flatten: string | null;
  readonly exit_code: number;
  readonly text: string;
}

/** @param records of the journal; undefined: there is none */
export function killSwitchStart(
  file: string,
  records: readonly JournalRecord[] | undefined,
  { unfinished }: Pick<StartPlan, 'unfinished'>,
): KillSwitchStart {
  const flatten = recoverFlatten(records ?? [])?.text ?? null;
  const actionsText =
    records === undefined
      ? 'A start is refused at once, because there is no journal, and'
      : `A start ${cancelText(unfinished)}, ${flattenText(flatten)}, places nothing else and`;
  return {
    file,
    refused: records === undefined,
    cancels: unfinished.length,
    flatten,
    exit_code: EXIT.refused,
    text: `the kill switch is set: ${file} exists. ${actionsText} exits with code ${EXIT.refused}; remove the file to trade`,
  };
}

const cancelText = (unfinished: StartPlan['unfinished']): string =>
  unfinished.length === 0
    ? 'has no order to cancel'
    : `cancels the orders that have not ended (${unfinishedText(unfinished)})`;

const flattenText = (flatten: string | null): string =>
  flatten === null
    ? 'has no flatten to finish'
    : `finishes the flatten of the journal (${flatten})`;
