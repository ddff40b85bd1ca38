import { symbolFromText } from '../core/symbol.js';
import { STANDARD_LISTINGS } from '../market/synthetic/listings.js';
import { nearest } from '../core/suggestion.js';

/** Every contract is quoted in USDT (interface: instruments). */
const QUOTE = 'USDT';
const OTHER_QUOTES = /(?:USDC|USD|INR|PERP)$/;
const MAX_BASE_LENGTH = 20;

/** A symbol in the venue's form; undefined for another form. */
export function venueSymbolFromText(text: string): string | undefined {
  const symbol = symbolFromText(text);
  return symbol?.endsWith(QUOTE) === true && symbol !== QUOTE ? symbol : undefined;
}

/** The fault of a text that is not a venue symbol: `not "btc"; did you mean BTCUSDT?` */
export function symbolFault(text: string): string {
  const suggestion = suggestSymbol(text);
  return `not "${text}"${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
}

/** A listed symbol with this or a similar base asset, else the base asset plus USDT. */
function suggestSymbol(text: string): string | undefined {
  const [token = ''] = /^[A-Z0-9]+/.exec(text.trim().toUpperCase()) ?? [];
  const base = token.replace(OTHER_QUOTES, '');
  if (base === '' || base === QUOTE || base.length > MAX_BASE_LENGTH) return undefined;
  const known = STANDARD_LISTINGS.map(({ instrument }) => instrument.symbol);
  const whole = `${base}${QUOTE}`;
  return known.includes(whole) ? whole : (nearest(token, known) ?? whole);
}
