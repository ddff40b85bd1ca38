/** The currency of a position's margin, PnL and fees. Prices are in USDT for both. */
export type Currency = 'USDT' | 'INR';
export const CURRENCIES: readonly Currency[] = ['USDT', 'INR'];
