/** 1234567.891 is "1,234,567.89". Without Intl, so that every machine prints the same. */
export function formatNumber(value: number, places: number): string {
  const [whole = '', fraction] = Math.abs(value).toFixed(places).split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const text = fraction === undefined ? groups : `${groups}.${fraction}`;
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text;
}

/** A number with its regular noun: "1 candle", "1,000,000 candles". */
export const formatCount = (count: number, noun: string): string =>
  `${formatNumber(count, 0)} ${noun}${count === 1 ? '' : 's'}`;

/** Money with its currency. Two places, and more below 0.1, so that a small fee does not read as 0. */
export const formatMoney = (value: number, currency: string): string =>
  `${formatNumber(value, Math.abs(value) < 0.1 && value !== 0 ? 4 : 2)} ${currency}`;

/** "+1.25 %"; a dash where it is not defined. */
export const formatSignedPercent = (value: number | null): string =>
  value === null ? '–' : `${value > 0 ? '+' : ''}${formatPercent(value)}`;

/** "1.25 %"; a dash where it is not defined. */
export const formatPercent = (value: number | null): string =>
  value === null ? '–' : `${formatNumber(value, Math.abs(value) >= 1_000 ? 0 : 2)} %`;

/** "1.25"; a dash where it is not defined. */
export const formatRatio = (value: number | null): string =>
  value === null ? '–' : formatNumber(value, 2);

/** "3.5 days", "14 h" below two days. */
export function formatDuration(days: number): string {
  if (days < 2) return `${formatNumber(days * 24, 0)} h`;
  return `${formatNumber(days, days < 10 ? 1 : 0)} days`;
}
