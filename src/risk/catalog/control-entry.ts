import type { LimitClock } from '../control.js';
import type { ControlClass, ControlId } from '../control-id.js';

/** One control as people read it: `sluice risk explain`, docs/risk.md. */
export interface ControlEntry {
  readonly id: ControlId;
  /** Name in a few words: `order notional`. */
  readonly name: string;
  readonly class: ControlClass;
  readonly clock: LimitClock;
  /** Key of a control without a switch: only `true` is accepted. */
  readonly alwaysOnKey?: string;
  /** The refused orders, or the consequence of a breach, in one sentence. */
  readonly summary: string;
  /** Exemption of exits. */
  readonly exits: string;
  /** The end of a refusal. */
  readonly ends: string;
  /** Argument for the default. */
  readonly argument: string;
  /** A case with numbers. */
  readonly example: string;
  /** Whether this version carries it out. */
  readonly inForce: boolean;
  /** The part that this version lacks, of a control in force. */
  readonly lacks?: string;
}

/** `in force`, `in force in part: …` or `not in force yet`. */
export const controlStatus = ({
  inForce,
  lacks,
}: Pick<ControlEntry, 'inForce' | 'lacks'>): string =>
  inForce ? (lacks === undefined ? 'in force' : `in force in part: ${lacks}`) : 'not in force yet';
