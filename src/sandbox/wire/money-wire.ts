import type { Currency } from '../../core/currency.js';
import { Decimal } from '../../core/fixed/decimal.js';
import { decimalFromFixed, FIXED_PLACES, type Amount } from '../../core/fixed/fixed.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';

/** Format of printed amounts. */
export type MoneyFormat = Pick<BehaviorFlags, 'inrMoneyText'>;

/** Places of INR fees, PnL and order values, and of INR balances, at the venue. */
const INR_PLACES = 2;
const INR_BALANCE_PLACES = 4;

/** Cut towards 0, without trailing zeros or a negative zero. */
export function cutText(value: Decimal, places: number): string {
  const cut = value.toDecimalPlaces(places, Decimal.ROUND_DOWN);
  return cut.isZero() ? '0' : cut.toFixed();
}

/** Text of a fee, a PnL or an order value in `currency`. The exchange keeps the exact value. */
export const moneyText = (value: Decimal, currency: Currency, format: MoneyFormat): string =>
  textWithPlaces(value, currency, format, INR_PLACES);

export const amountText = (amount: Amount, currency: Currency, format: MoneyFormat): string =>
  moneyText(decimalFromFixed(amount), currency, format);

export const balanceText = (balance: Amount, currency: Currency, format: MoneyFormat): string =>
  textWithPlaces(decimalFromFixed(balance), currency, format, INR_BALANCE_PLACES);

const textWithPlaces = (
  value: Decimal,
  currency: Currency,
  format: MoneyFormat,
  places: number,
): string =>
  currency === 'INR' && format.inrMoneyText === 'cut'
    ? cutText(value, places)
    : value.toDecimalPlaces(FIXED_PLACES).toFixed();
