import { formatNumber } from '../../../src/report/figure-format.js';

/** "2025-05-05 12:30" in UTC. */
export const minuteText = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

export const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** "45 min", "3.5 h", "12 days". */
export function spanText(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 1) return `${formatNumber(ms / 1_000, 0)} s`;
  if (minutes < 120) return `${formatNumber(minutes, 0)} min`;
  if (minutes < 2 * 1_440) return `${formatNumber(minutes / 60, 1)} h`;
  return `${formatNumber(minutes / 1_440, minutes < 14_400 ? 1 : 0)} days`;
}

/** A price or quantity with at most 8 places, and no trailing zeros. */
export const plainText = (value: number): string => {
  const [whole = '', fraction = ''] = value.toFixed(8).split('.');
  const kept = fraction.replace(/0+$/, '');
  const head = formatNumber(Number(whole), 0);
  return kept === '' ? head : `${head}.${kept}`;
};

/** "+12.34", "−12.34": the sign is a minus of the same width. */
export const signed = (text: string): string =>
  text.startsWith('-') ? `−${text.slice(1)}` : /[1-9]/.test(text) ? `+${text}` : text;

/** A minus of the width of a digit instead of a hyphen. */
export const minus = (text: string): string => text.replace(/^-/, '−');

export const signedMoney = (value: number): string =>
  signed(formatNumber(value, Math.abs(value) < 0.1 && value !== 0 ? 4 : 2));

export const signedPercent = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : signed(`${formatNumber(value, Math.abs(value) >= 1_000 ? 0 : 2)} %`);

const REASONS: Readonly<Record<string, string>> = {
  signal: 'Signal',
  stop_loss: 'Stop loss',
  take_profit: 'Take profit',
  trailing_stop: 'Trailing stop',
  liquidation: 'Liquidation',
  flatten: 'Flatten',
  external: 'External',
};

/** "stop_loss" is "Stop loss". */
export const reasonText = (reason: string): string => REASONS[reason] ?? wordsOf(reason);

/** "max_drawdown_pct" is "Max drawdown, %". */
export function wordsOf(key: string): string {
  const words = key.replace(/_pct$/, ', %').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Compact axis labels: 12k, 1.5M. */
export function axisText(value: number, step: number, largest = value): string {
  const size = Math.abs(largest);
  if (size >= 1e6) return `${Number((value / 1e6).toFixed(step < 1e5 ? 2 : 1))}M`;
  if (size >= 1e5 && step >= 100) return `${Number((value / 1e3).toFixed(1))}k`;
  const places = step >= 1 ? 0 : Math.min(8, Math.ceil(-Math.log10(step)));
  return formatNumber(value, places);
}
