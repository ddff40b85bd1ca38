import type { Currency } from '../core/currency.js';
import { absolute, larger, numberFromFixed } from '../core/fixed/fixed.js';
import type { Side } from '../core/order.js';
import { MOST_MARGIN } from './controls/account-exposure.js';
import type { OtherBook } from './book-totals.js';
import { otherBooks, usdtOf } from './evidence.js';
import type { GateFacts } from './facts.js';
import type { RiskLimits } from './limits/risk-limits.js';

/** Notional and margin of the worst positions of a currency, in USDT, at the last prices. */
export interface AccountLoad {
  /** The larger side of each book (R13). */
  readonly gross: number;
  /** One side of each book, the other side below 0 (R13). */
  readonly net: Readonly<Record<Side, number>>;
  /** Notional of the larger side ÷ leverage; without a leverage the notional (R14). */
  readonly margin: number;
}

export type AccountLoadFacts = Pick<
  GateFacts,
  'exposure' | 'lastPrice' | 'entryPrice' | 'externalOrderPrice' | 'leverage'
>;

/**
 * The sums that R13 and R14 compare, for headroom and reports. The gate itself compares exactly.
 * @param except a symbol that does not count
 * @param only the symbols that count; absent: all
 * @returns undefined while the price of a book is not known: the gate then refuses
 */
export function accountLoad(
  currency: Currency,
  facts: AccountLoadFacts,
  except?: string,
  only?: ReadonlySet<string>,
): AccountLoad | undefined {
  let gross = 0;
  let margin = 0;
  const net = { buy: 0, sell: 0 };
  for (const book of otherBooks(except, currency, facts).books) {
    if (only?.has(book.symbol) === false) continue;
    if (book.price === undefined) return undefined;
    const price = numberFromFixed(book.price);
    const notional = largestOf(book) * price;
    gross += notional;
    net.buy += numberFromFixed(book.maxPosition) * price;
    net.sell -= numberFromFixed(book.minPosition) * price;
    const leverage = book.leverage === undefined ? 0 : numberFromFixed(book.leverage);
    margin += leverage > 0 ? notional / leverage : notional;
  }
  return { gross, net, margin };
}

const largestOf = ({ maxPosition, minPosition }: OtherBook): number =>
  numberFromFixed(larger(absolute(maxPosition), absolute(minPosition)));

/** The bounds of R13 and R14 at an equity and a wallet, in USDT. */
export const accountBounds = ({ exposure }: RiskLimits, equity: number, wallet: number) => ({
  gross: equity * numberFromFixed(exposure.maxGrossShare),
  net: equity * numberFromFixed(exposure.maxNetShare),
  margin: wallet * Math.min(numberFromFixed(exposure.maxMarginShare), numberFromFixed(MOST_MARGIN)),
});

/** Balance + locked in USDT. */
export const walletUsdt = (
  currency: Currency,
  facts: Pick<GateFacts, 'walletTotal' | 'hedgeRate'>,
): number | undefined => {
  const wallet = usdtOf(facts.walletTotal(currency), currency, facts);
  return wallet === undefined ? undefined : numberFromFixed(wallet);
};
