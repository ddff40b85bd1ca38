/** Symbols of the standard listings, for bots that trade several. */
export const EIGHT_SYMBOLS = [
  'BTCUSDT',
  'ETHUSDT',
  'SOLUSDT',
  'XRPUSDT',
  'BNBUSDT',
  'DOGEUSDT',
  'ADAUSDT',
  'LINKUSDT',
];
