import type { JournalRecord } from '../../../execution/journal/journal-record.js';
import { recoverFlatten } from '../../../execution/recovery/recovered-flatten.js';
import { EXIT } from '../../../core/exit-code.js';
import type { KillSetting } from '../../../live/state/kill-file.js';
import { unfinishedText } from '../../../live/plan/plan-text.js';
import type { StartPlan } from '../../../live/plan/start-plan.js';

/** Forecast of a start while the file of the kill switch exists. */
export interface KillSwitchStart {
  readonly file: string;
  readonly level: KillSetting['level'];
  /** Without a journal there is nothing to cancel, so the start is refused at once. */
  readonly refused: boolean;
  /** How many orders of the journal have not ended. */
  readonly cancels: number;
  /** The unfinished flatten of the journal; null: none. */
  readonly flatten: string | null;
  /** null: the run goes on, and only exits leave. */
  readonly exit_code: number | null;
  readonly text: string;
}

/** @param records of the journal; undefined: there is none */
export function killSwitchStart(
  { file, level, until }: KillSetting & { readonly file: string },
  records: readonly JournalRecord[] | undefined,
  { positions, unfinished }: Pick<StartPlan, 'positions' | 'unfinished'>,
): KillSwitchStart {
  const flatten = recoverFlatten(records ?? [])?.text ?? null;
  const refused = records === undefined;
  const goesOn = level === 'pause' && !refused;
  const end = until === undefined ? '`sluice resume`' : new Date(until).toISOString();
  const closes = level === 'flatten' ? closeText(positions) : flattenText(flatten);
  const actionsText = refused
    ? 'A start is refused at once, because there is no journal, and'
    : `A start ${cancelText(unfinished)}, ${closes}, places nothing else and`;
  return {
    file,
    level,
    refused,
    cancels: goesOn ? 0 : unfinished.length,
    flatten,
    exit_code: goesOn ? null : EXIT.refused,
    text: goesOn
      ? `the kill switch is set: ${file} exists. A start trades exits only until ${end}`
      : `the kill switch is set: ${file} exists. ${actionsText} exits with code ${EXIT.refused}; \`sluice resume\` ends it`,
  };
}

const cancelText = (unfinished: StartPlan['unfinished']): string =>
  unfinished.length === 0
    ? 'has no order to cancel'
    : `cancels the orders that have not ended (${unfinishedText(unfinished)})`;

const closeText = (positions: StartPlan['positions']): string =>
  positions.length === 0
    ? 'has no position to close'
    : `closes the positions (${positions.map(({ quantity, symbol }) => `${quantity} ${symbol}`).join(', ')})`;

const flattenText = (flatten: string | null): string =>
  flatten === null
    ? 'has no flatten to finish'
    : `finishes the flatten of the journal (${flatten})`;
