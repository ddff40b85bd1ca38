/**
 * Young generation of a thread that runs a backtest, MB. Nearly all objects of a candle are dead at once, so that the default
 * (48 on Node 20, 192 on Node 24) takes memory and saves no time. A million candles with 55,295 fills peak at 264 instead of
 * 275 MB on Node 20, and at 318 instead of 425 on Node 24.
 */
export const YOUNG_GENERATION_MB = 12;
