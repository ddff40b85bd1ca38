import { EXIT } from '../../../core/exit-code.js';
import { UsageError } from '../../../core/command-errors.js';
import { didYouMean } from '../../../core/suggestion.js';
import {
  CONTROL_ENTRIES,
  CONTROL_NAMES,
  findControl,
  keysOfControl,
  limitsOfControl,
} from '../../../risk/catalog/control-catalog.js';
import { controlStatus, type ControlEntry } from '../../../risk/catalog/control-entry.js';
import { limitText } from '../../../risk/catalog/limit-catalog.js';
import { PRESET_LIMITS } from '../../../risk/limits/risk-limits.js';
import type { Column } from '../../../report/rows-table.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import type { RiskOptions } from './risk-options.js';

type ExplainOptions = Extract<RiskOptions, { readonly what: 'explain' }>;

/** Prints the page of one control, or the list of all. @throws UsageError for an unknown name */
export async function explainControl({ name, json }: ExplainOptions, io: Io): Promise<number> {
  if (name === undefined) {
    await listControls(json, io);
    return EXIT.done;
  }
  const control = findControl(name);
  if (control === undefined) {
    throw new UsageError(
      `there is no control or limit "${name}"${didYouMean(name, CONTROL_NAMES)} (sluice risk explain lists them)`,
    );
  }
  if (json) printJson(io, pageOf(control));
  else await printPage(control, io);
  return EXIT.done;
}

async function listControls(json: boolean, io: Io): Promise<void> {
  if (json) {
    printJson(io, { controls: CONTROL_ENTRIES.map(pageOf) });
    return;
  }
  const rows = CONTROL_ENTRIES.map((control) => ({
    ...control,
    keys: keysOfControl(control).join(', '),
    status: control.inForce ? (control.lacks === undefined ? 'yes' : 'in part') : 'not yet',
  }));
  await printRows(io, rows, { columns: LIST_COLUMNS, none: '', isDense: true });
}

const LIST_COLUMNS: readonly Column[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'keys' },
  { key: 'class' },
  { key: 'status', head: 'in force' },
];

/** The page as JSON. */
const pageOf = (control: ControlEntry) => ({
  id: control.id,
  name: control.name,
  class: control.class,
  clock: control.clock,
  summary: control.summary,
  exits: control.exits,
  ends: control.ends,
  argument: control.argument,
  example: control.example,
  status: controlStatus(control),
  limits: limitsOfControl(control.id).map(({ key, unit, read }) => ({
    key,
    unit,
    cautious: read(PRESET_LIMITS.cautious) ?? null,
    standard: read(PRESET_LIMITS.standard) ?? null,
  })),
});

const CLASS_TEXTS: Readonly<Record<ControlEntry['class'], string>> = {
  reject: 'reject: a breach refuses this order only',
  'self-clearing': 'self-clearing: entries stop until the cause has passed',
  latching: 'latching: entries stop until a person resumes',
};

const CLOCK_TEXTS: Readonly<Record<ControlEntry['clock'], string>> = {
  venue: 'venue time',
  monotonic: 'time of this process',
  none: 'none',
};

async function printPage(control: ControlEntry, io: Io): Promise<void> {
  const lines = [
    `${control.id}  ${control.name}`,
    '',
    control.summary,
    '',
    `class    ${CLASS_TEXTS[control.class]}`,
    `exits    ${control.exits}`,
    `ends     ${control.ends}`,
    `clock    ${CLOCK_TEXTS[control.clock]}`,
    `status   ${controlStatus(control)}`,
    `default  ${control.argument}`,
    `example  ${control.example}`,
  ];
  io.stdout(`${lines.join('\n')}\n`);
  const rows = pageOf(control).limits.map(({ key, unit, cautious, standard }) => ({
    key,
    cautious: limitText(cautious ?? undefined, unit),
    standard: limitText(standard ?? undefined, unit),
  }));
  if (rows.length === 0) return;
  await printRows(io, rows, { columns: PRESET_COLUMNS, none: '', isDense: true });
}

const PRESET_COLUMNS: readonly Column[] = [
  { key: 'key', head: 'key in risk:' },
  { key: 'cautious', alignRight: true },
  { key: 'standard', alignRight: true },
];
