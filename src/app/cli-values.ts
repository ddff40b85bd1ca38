import { InvalidArgumentError } from 'commander';
import { CURRENCIES, type Currency } from '../core/currency.js';
import { isPlainDecimal } from '../core/decimal.js';
import { numberFromFixed } from '../core/fixed.js';
import { isClientOrderId } from '../core/ids.js';
import { INTERVALS, type Interval } from '../core/interval.js';
import { parseClockMode, SandboxOptionError, type ClockMode } from '../sandbox/sandbox-clock.js';
import { sizeSchema, type Size } from '../strategy/size/sizing.js';
import type { BacktestOptions } from './command-options.js';
import { readFixed } from './config-fields.js';
import { DURATION_FORM, durationFromText } from './duration.js';
import { INSTANT_FORM, instantFromText } from './instant.js';
import { didYouMean } from './suggestion.js';
import { symbolFault, venueSymbolFromText } from './venue-symbol.js';

/** Values of command-line options. Each throws commander's InvalidArgumentError, which names the option. */

const refuse = (text: string): never => {
  throw new InvalidArgumentError(text);
};

const expected = (form: string, value: unknown): never =>
  refuse(`Expected ${form}${value === undefined ? '' : `, not "${String(value)}"`}.`);

const reader =
  <T>(form: string, read: (text: string) => T | undefined) =>
  (text: string): T =>
    read(text) ?? expected(form, text);

export const durationMs = reader(DURATION_FORM, durationFromText);
export const instantMs = reader(INSTANT_FORM, instantFromText);

export const wholeNumber = (least: number, most: number): ((text: string) => number) =>
  reader(`a whole number from ${least} to ${most}`, (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : undefined;
  });

/** A decimal text that the ledger can hold, as typed. */
const heldDecimal = (form: string, fits: (value: number) => boolean) =>
  reader(form, (text) => {
    const value = readFixed(text);
    return value !== undefined && fits(numberFromFixed(value)) ? text : undefined;
  });

export const amount = heldDecimal(
  'an amount above 0 with at most 8 places, such as 10000',
  (value) => value > 0,
);
export const leverage = heldDecimal('a leverage above 0, such as 2', (value) => value > 0);
export const rate = heldDecimal(
  'a rate from 0 to below 1, such as 0.0005 for 5 basis points',
  (value) => value >= 0 && value < 1,
);

const symbolIn =
  (form: string) =>
  (text: string): string =>
    venueSymbolFromText(text) ?? refuse(`Expected ${form}, ${symbolFault(text)}`);

export const symbol = symbolIn('a trading symbol such as BTCUSDT');
const listedSymbol = symbolIn('symbols with commas between, such as BTCUSDT,ETHUSDT');

export const symbolList = (text: string): readonly string[] => text.split(',').map(listedSymbol);

/** As one text: `backtest` takes them apart. */
export const symbols = (text: string): string => symbolList(text).join(',');

/** One more of an option that may be given several times. */
export const moreSymbols = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  symbol(text),
];

export const clientOrderId = reader('1 to 64 letters, digits, hyphens and underscores', (text) =>
  isClientOrderId(text) ? text : undefined,
);

/** What goes into the authentication header. */
export const secret = reader('one word of printable ASCII', (text) =>
  /^[\x21-\x7e]+$/.test(text) ? text : undefined,
);

const hostName = reader('a host name without a port, such as sandbox.local', (text) =>
  /^(?:[a-z\d_.-]{1,253}|\[[a-f\d:.]+\])$/i.test(text) ? text.toLowerCase() : undefined,
);

/** Once for each name. */
export const hostNames = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  hostName(text),
];

export const oneOf =
  <const T extends string>(words: readonly T[]) =>
  (text: string): T =>
    words.find((word) => word === text) ??
    expected(`one of ${words.join(', ')}${didYouMean(text, words)}`, text);

export const interval: (text: string) => Interval = oneOf(INTERVALS);
export const currency: (text: string) => Currency = oneOf(CURRENCIES);

export function clockMode(text: string): ClockMode {
  try {
    return parseClockMode(text);
  } catch (error) {
    if (error instanceof SandboxOptionError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** `none`, `field`, or names with commas between. */
export function quirks(text: string): 'none' | 'field' | readonly string[] {
  if (text === 'none' || text === 'field') return text;
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => name !== '') ? names : expected('none, field or NAME,NAME', text);
}

/** `USDT=1000` or `USDT=1000,INR=5000`, over what stood before. */
export function balances(
  text: string,
  before: Readonly<Record<Currency, string>>,
): Readonly<Record<Currency, string>> {
  const given = text.split(',').map((part) => {
    const [name = '', amount = ''] = part.split('=');
    const known = CURRENCIES.find((candidate) => candidate === name.trim());
    if (known === undefined || !isPlainDecimal(amount) || amount.startsWith('-')) {
      return expected('balances such as USDT=10000 or USDT=10000,INR=500000', text);
    }
    return [known, amount] as const;
  });
  return { ...before, ...Object.fromEntries(given) };
}

/** `exchange-stop-trigger=mark`, once for each assumption. */
export function assumption(
  text: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [id, answer] = splitAtEquals(text) ?? expected('ID=ANSWER', text);
  if (Object.hasOwn(before, id)) throw new InvalidArgumentError(`"${id}" is given twice.`);
  return { ...before, [id]: answer };
}

/** The sizes that `--size` takes: one of each kind. */
export const SIZE_FORM =
  'quantity=0.01, notional=250, equity_pct=10, risk_pct=0.5 or volatility_pct=20';

/** `notional=250` and its like. */
export function size(text: string): Size {
  const [kind = '', amount = ''] = splitAtEquals(text) ?? [];
  const parsed = sizeSchema.safeParse({ [kind]: amount });
  return parsed.success ? parsed.data : expected(SIZE_FORM, text);
}

/** `fast=10`, once for each parameter. */
export function parameter(
  text: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [name, value] = splitAtEquals(text) ?? expected('name=value', text);
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`"${name}" is given twice.`);
  return Object.fromEntries([...Object.entries(before), [name, value]]);
}

function splitAtEquals(text: string): readonly [string, string] | undefined {
  const at = text.indexOf('=');
  return at > 0 && at < text.length - 1 ? [text.slice(0, at), text.slice(at + 1)] : undefined;
}

export const slippage = reader(
  'auto or basis points, at most 5000',
  (text): BacktestOptions['slippage'] => {
    if (text === 'auto') return text;
    const bps = isPlainDecimal(text) ? Number(text) : NaN;
    return bps >= 0 && bps <= MOST_SLIPPAGE_BPS ? { bps } : undefined;
  },
);

/** Half the price: beyond it a unit has slipped. */
const MOST_SLIPPAGE_BPS = 5_000;

export function funding(text: string): NonNullable<BacktestOptions['funding']> {
  if (text === 'auto' || text === 'none') return { kind: text };
  return isPlainDecimal(text) ? { kind: 'rate', rate: text } : { kind: 'file', path: text };
}

export const risk = (text: string): NonNullable<BacktestOptions['risk']> =>
  text === 'none' || text === 'research' ? { kind: text } : { kind: 'file', path: text };
