import type { Control, Margin, Values } from './control.js';
import type { ControlId } from './control-id.js';
import { CONTROLS } from './controls/table.js';
import type { Evidence } from './evidence.js';
import type { RiskLimits } from './limits/risk-limits.js';

const PREFIX = 'margin_';

/** A margin as journaled. */
export interface ControlComparison extends Margin {
  readonly control: ControlId;
  /** Key in the `risk:` block. */
  readonly key: string;
}

/** Adds the comparisons of every control: `margin_R05: "120 of 3000 ms"`, `margin_R06.wallet: …`. */
export function addComparisons(
  values: Record<string, string>,
  evidence: Evidence,
  limits: RiskLimits,
): void {
  for (const control of CONTROLS) {
    for (const margin of control.margins?.(evidence, limits) ?? []) {
      values[nameOf(control, margin)] = textOf(margin);
    }
  }
}

const nameOf = ({ id }: Control, { part }: Margin): string =>
  `${PREFIX}${id}${part === undefined ? '' : `.${part}`}`;

const textOf = ({ value, limit, unit, least }: Margin): string =>
  `${value} of ${least === true ? 'at least ' : ''}${limit} ${unit}`;

const NAME = /^margin_([^.]+)(?:\.(.+))?$/;
const TEXT = /^(\S+) of (at least )?(\S+) (ms|USDT|base|bps|%|orders|closes|x)$/;

/** The margins in a verdict's values, in order of evaluation. */
export function parseComparisons(values: Values): readonly ControlComparison[] {
  const margins = Object.entries(values).flatMap(([name, text]) => parseComparison(name, text));
  return margins.sort(
    (a, b) => controlIndex(a) - controlIndex(b) || ((a.part ?? '') < (b.part ?? '') ? -1 : 1),
  );
}

const controlIndex = ({ control }: ControlComparison): number =>
  CONTROLS.findIndex(({ id }) => id === control);

function parseComparison(name: string, text: string): ControlComparison[] {
  const [, id, part] = NAME.exec(name) ?? [];
  const [, value, least, limit, unit] = TEXT.exec(text) ?? [];
  const control = CONTROLS.find((each) => each.id === id);
  if (control === undefined || value === undefined || limit === undefined) return [];
  return [
    {
      control: control.id,
      key: control.key,
      ...(part !== undefined && { part }),
      value,
      limit,
      unit: unit as Margin['unit'],
      ...(least !== undefined && { least: true }),
    },
  ];
}
