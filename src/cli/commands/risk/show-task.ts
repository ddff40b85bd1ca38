import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { Decimal } from '../../../core/fixed/decimal.js';
import { fixedFromText, textFromFixed, type Usdt } from '../../../core/fixed/fixed.js';
import { EXIT } from '../../../core/exit-code.js';
import { looserThanPreset } from '../../../live/checks/loosened-limits.js';
import { CONTROL_ENTRIES, limitsOfControl } from '../../../risk/catalog/control-catalog.js';
import { controlStatus, type ControlEntry } from '../../../risk/catalog/control-entry.js';
import { limitsInForce, type LimitsInForce } from '../../../live/order-check/limits-in-force.js';
import type { TightenedLimit } from '../../../risk/catalog/limit-changes.js';
import { contradictionsIn } from '../../../risk/catalog/contradictions.js';
import { limitText } from '../../../risk/catalog/limit-catalog.js';
import { limitReach, windowText, type LimitScope } from '../../../risk/catalog/limit-scope.js';
import type { LimitEntry } from '../../../risk/catalog/limit-entry.js';
import { equityUsdt } from '../../../risk/evidence.js';
import { enforces } from '../../../risk/preset.js';
import type { Column } from '../../../report/rows-table.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import type { RiskOptions } from './risk-options.js';

type ShowOptions = Extract<RiskOptions, { readonly what: 'show' }>;

/** One limit of `--json`. */
interface LimitRow {
  readonly control: string;
  readonly name: string;
  readonly key: string;
  /** As the block writes it; null: no limit. */
  readonly value: string | null;
  readonly unit: string;
  /** Bounds of the value: a single order, a symbol, a strategy, or the account. */
  readonly scope: LimitScope;
  /** ms within which the value counts, on the control's clock; null: that of the moment. */
  readonly window_ms: number | null;
  /** USDT; null: not a share, or the equity is not given. */
  readonly money: string | null;
  /** `file:line:column` of the key, `preset NAME`, or `tightened from VALUE` by `sluice risk tighten`. */
  readonly origin: string;
  readonly class: string;
  /** Whether a breach refuses an order under this preset. */
  readonly enforced: boolean;
  readonly status: string;
}

/** Prints every limit with its effective value and its origin. Asks no venue. */
export async function showLimits(options: ShowOptions, io: Io): Promise<number> {
  const config = await loadConfig(options.config, io.files);
  const equity = options.equity === undefined ? undefined : usdtOf(options.equity, config);
  const effective = { config, ...(await limitsInForce(config, io.files)) };
  const rows = CONTROL_ENTRIES.flatMap((control) => rowsOf(control, effective, equity));
  const notes = notesOf(config);
  const { preset } = config.riskSettings;
  if (options.json) {
    const equityText = equity === undefined ? null : textFromFixed(equity);
    printJson(io, { config: config.path, preset, equity_usdt: equityText, limits: rows, notes });
    return EXIT.done;
  }
  io.stdout(`preset ${preset}: ${PRESET_TEXTS[preset]}\n`);
  await printRows(io, rows.map(textRow), { columns: COLUMNS, none: 'no limits', isDense: true });
  const waiting = CONTROL_ENTRIES.filter(({ inForce }) => !inForce).map(({ id }) => id);
  if (waiting.length > 0) io.stdout(`not in force yet: ${waiting.join(', ')}\n`);
  for (const note of notes) io.stdout(`note: ${note}\n`);
  io.stdout('sluice risk explain ID shows the page of a control.\n');
  return EXIT.done;
}

const PRESET_TEXTS = {
  cautious: 'every control refuses, with tighter limits',
  standard: 'every control refuses',
  research: 'R07, R22, R30 and mode refuse; the others are counted',
  none: 'no control is evaluated',
} as const;

const COLUMNS: readonly Column[] = [
  { key: 'control' },
  { key: 'key' },
  { key: 'limit', alignRight: true },
  { key: 'money', head: 'USDT', alignRight: true },
  { key: 'scope', head: 'for' },
  { key: 'window', head: 'within' },
  { key: 'origin' },
  { key: 'class' },
  { key: 'in_force', head: 'in force' },
];

const textRow = ({ value, unit, status, window_ms: windowMs, ...row }: LimitRow) => ({
  ...row,
  window: windowText(windowMs ?? undefined),
  limit: limitText(value ?? undefined, unit),
  in_force: status === 'in force' ? 'yes' : status.startsWith('in force') ? 'in part' : 'not yet',
});

/** @param equity in the currency of the wallet */
function usdtOf(equity: string, { venue }: SluiceConfig): Usdt | undefined {
  const rate = venue.inrRate?.value;
  return equityUsdt(venue.tradeCurrency, {
    equity: () => fixedFromText(equity),
    hedgeRate: () => rate,
  });
}

function rowsOf(
  control: ControlEntry,
  { config, limits, tightened }: EffectiveLimits,
  equity: Usdt | undefined,
): readonly LimitRow[] {
  const { preset } = config.riskSettings;
  const shared = {
    control: control.id,
    name: control.name,
    class: control.class,
    enforced: control.inForce && enforces(preset, control.id),
    status: controlStatus(control),
  };
  const switches = control.alwaysOnKey === undefined ? [] : [control.alwaysOnKey];
  return [
    ...switches.map((key) => ({
      ...shared,
      key,
      value: 'on',
      unit: '',
      ...reachOf(key),
      money: null,
      origin: 'no switch',
    })),
    ...limitsOfControl(control.id).map((limit) => {
      const value = limit.read(limits);
      return {
        ...shared,
        key: limit.key,
        value: value ?? null,
        unit: limit.unit,
        ...reachOf(limit.key),
        money: moneyOf(limit, value, equity),
        origin:
          originOfTightened(tightened.find(({ key }) => key === limit.key)) ??
          originOf(limit.key, config),
      };
    }),
  ];
}

interface EffectiveLimits extends LimitsInForce {
  readonly config: SluiceConfig;
}

const originOfTightened = (limit: TightenedLimit | undefined): string | undefined =>
  limit && `tightened from ${limitText(limit.from ?? undefined, limit.unit)}`;

const reachOf = (key: string) => {
  const { scope, windowMs } = limitReach(key);
  return { scope, window_ms: windowMs ?? null };
};

function moneyOf(
  { unit }: LimitEntry,
  value: string | undefined,
  equity: Usdt | undefined,
): string | null {
  const shares = { '% of equity': 100, 'x equity': 1 } as const;
  if (value === undefined || equity === undefined || !(unit in shares)) return null;
  const whole = new Decimal(textFromFixed(equity));
  const money = whole.times(value).div(shares[unit as keyof typeof shares]);
  return money.toDecimalPlaces(2, Decimal.ROUND_DOWN).toFixed();
}

/** A group that is given by one word (`loss_streak: off`) gives all of its members. */
function originOf(key: string, { riskKeys, riskSettings, mode, locate }: SluiceConfig): string {
  const isGiven = [...riskKeys].some(
    (given) => `${given}.`.startsWith(`${key}.`) || `${key}.`.startsWith(`${given}.`),
  );
  if (isGiven) return locate(['risk', ...key.split('.')]);
  // The one default that depends on the mode.
  const isLive = mode === 'live' || mode === 'observe';
  if (key === 'require_stop_loss' && isLive) return `mode ${mode}`;
  return `preset ${riskSettings.preset}`;
}

/** Limits that are looser than the preset's, and limits of the preset that a tighter key makes pointless. */
const notesOf = (config: SluiceConfig): readonly string[] => [
  ...looserThanPreset(config),
  ...contradictionsIn(config.riskSettings.limits).map(
    ({ lower, upper, lowerText, upperText, relation, why }) =>
      `${lower} ${lowerText} ${relation} ${upper} ${upperText}: ${why}`,
  ),
];
