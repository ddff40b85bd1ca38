import { InvalidArgumentError } from 'commander';
import { CURRENCIES, type Currency } from '../core/currency.js';
import { numberFromFixed } from '../core/fixed/fixed.js';
import { isClientOrderId } from '../core/ids.js';
import { INTERVALS, type Interval } from '../core/interval.js';
import { readFixed } from '../core/fixed/read-fixed.js';
import {
  DURATION_FORM,
  durationFromText,
  INSTANT_FORM,
  instantFromText,
} from '../core/time-text.js';
import { didYouMean } from '../core/suggestion.js';
import { symbolFault, venueSymbolFromText } from '../config/venue-symbol.js';

/** Parsers of option values. Each throws commander's InvalidArgumentError, which names the option. */

const refuse = (text: string): never => {
  throw new InvalidArgumentError(text);
};

export const expected = (form: string, value: unknown): never =>
  refuse(`Expected ${form}${value === undefined ? '' : `, not "${String(value)}"`}.`);

/** @param read returns undefined for a text that is not of that form */
export const optionParser =
  <T>(form: string, read: (text: string) => T | undefined) =>
  (text: string): T =>
    read(text) ?? expected(form, text);

export const parseDuration = optionParser(DURATION_FORM, durationFromText);
export const parseInstant = optionParser(INSTANT_FORM, instantFromText);

export const wholeNumber = (least: number, most: number): ((text: string) => number) =>
  optionParser(`a whole number from ${least} to ${most}`, (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : undefined;
  });

/** Checks a decimal that fits the ledger, and returns the text as typed. */
const ledgerDecimal = (form: string, fits: (value: number) => boolean) =>
  optionParser(form, (text) => {
    const value = readFixed(text);
    return value !== undefined && fits(numberFromFixed(value)) ? text : undefined;
  });

export const parseAmount = ledgerDecimal(
  'an amount above 0 with at most 8 places, such as 10000',
  (value) => value > 0,
);
export const parseLeverage = ledgerDecimal('a leverage above 0, such as 2', (value) => value > 0);
export const parseRate = ledgerDecimal(
  'a rate from 0 to below 1, such as 0.0005 for 5 basis points',
  (value) => value >= 0 && value < 1,
);

export const parsePercent = ledgerDecimal(
  'a percentage above 0 and at most 100, such as 10',
  (value) => value > 0 && value <= 100,
);
export const parseHedgeRate = ledgerDecimal(
  'INR per USDT from 1 to 1000, such as 88.5',
  (value) => value >= 1 && value <= 1_000,
);

const symbolParser =
  (form: string) =>
  (text: string): string =>
    venueSymbolFromText(text) ?? refuse(`Expected ${form}, ${symbolFault(text)}`);

export const parseSymbol = symbolParser('a trading symbol such as BTCUSDT');
const parseListItem = symbolParser('symbols with commas between, such as BTCUSDT,ETHUSDT');

export const parseSymbolList = (text: string): readonly string[] =>
  text.split(',').map(parseListItem);

/** For an option that may be given several times. */
export const appendSymbol = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  parseSymbol(text),
];

export const parseClientOrderId = optionParser(
  '1 to 64 letters, digits, hyphens and underscores',
  (text) => (isClientOrderId(text) ? text : undefined),
);

export const oneOf =
  <const T extends string>(choices: readonly T[]) =>
  (text: string): T =>
    choices.find((choice) => choice === text) ??
    refuse(`Expected one of ${choices.join(', ')}, not "${text}"${didYouMean(text, choices)}`);

export const parseInterval: (text: string) => Interval = oneOf(INTERVALS);
export const parseCurrencyCode: (text: string) => Currency = oneOf(CURRENCIES);

/** `fast=10`, once for each parameter. */
export function appendParameter(
  text: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [name, value] = splitAtEquals(text) ?? expected('name=value', text);
  if (Object.hasOwn(before, name)) refuse(`"${name}" is given twice.`);
  return Object.fromEntries([...Object.entries(before), [name, value]]);
}

/** `BTCUSDT=60000`, once for each symbol. */
export function appendPrice(
  text: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [name, price] = splitAtEquals(text) ?? expected('SYMBOL=PRICE such as BTCUSDT=60000', text);
  return { ...before, [parseSymbol(name)]: parseAmount(price) };
}

/** The name and the value of `name=value`; undefined when one of them is empty. */
export function splitAtEquals(text: string): readonly [string, string] | undefined {
  const at = text.indexOf('=');
  return at > 0 && at < text.length - 1 ? [text.slice(0, at), text.slice(at + 1)] : undefined;
}
