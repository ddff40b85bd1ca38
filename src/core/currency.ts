/** The currency a position's margin, PnL and fees are in. Prices are USDT in both. */
export type Currency = 'USDT' | 'INR';
export const CURRENCIES: readonly Currency[] = ['USDT', 'INR'];
