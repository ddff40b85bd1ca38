import type { Currency } from '../core/currency.js';
import { Decimal } from '../core/decimal.js';
import { decimalFromFixed, FIXED_PLACES, type Amount } from '../core/fixed.js';
import type { Switches } from './switches.js';

/** How amounts of money are printed. */
export type MoneyForm = Pick<Switches, 'inrMoneyText'>;

/** INR fees, PnL and order values show so many places live, and INR balances so many. */
const INR_PLACES = 2;
const INR_BALANCE_PLACES = 4;

/** Cut towards 0, never rounded; no zeros at the end, and no minus before a zero. */
export function cutText(value: Decimal, places: number): string {
  const cut = value.toDecimalPlaces(places, Decimal.ROUND_DOWN);
  return cut.isZero() ? '0' : cut.toFixed();
}

/** A fee, a PnL or an order value in `currency`; the books keep what is cut here. */
export const moneyText = (value: Decimal, currency: Currency, form: MoneyForm): string =>
  inPlaces(value, currency, form, INR_PLACES);

export const amountText = (amount: Amount, currency: Currency, form: MoneyForm): string =>
  moneyText(decimalFromFixed(amount), currency, form);

export const balanceText = (balance: Amount, currency: Currency, form: MoneyForm): string =>
  inPlaces(decimalFromFixed(balance), currency, form, INR_BALANCE_PLACES);

const inPlaces = (value: Decimal, currency: Currency, form: MoneyForm, places: number): string =>
  currency === 'INR' && form.inrMoneyText === 'cut'
    ? cutText(value, places)
    : value.toDecimalPlaces(FIXED_PLACES).toFixed();
