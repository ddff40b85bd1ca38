import { symbolFromText } from '../core/symbol.js';
import { STANDARD_LISTINGS } from '../sandbox/listings.js';
import { nearest } from '../strategy/loader/suggestion.js';

/** Every contract is quoted in USDT (interface, Instruments). */
const QUOTE = 'USDT';
const OTHER_QUOTES = /(?:USDC|USD|INR|PERP)$/;
const MOST_BASE = 20;

/** A symbol as the venue may list it; undefined: it lists none of that form. */
export function venueSymbolFromText(text: string): string | undefined {
  const symbol = symbolFromText(text);
  return symbol?.endsWith(QUOTE) === true && symbol !== QUOTE ? symbol : undefined;
}

/** `not "btc"; did you mean BTCUSDT?`: what is wrong with a text that is no symbol of the venue. */
export function symbolFault(text: string): string {
  const meant = meantBy(text);
  return `not "${text}"${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** The well-known symbol of that base asset or near it, else the base with the quote of every contract. */
function meantBy(text: string): string | undefined {
  const [word = ''] = /^[A-Z0-9]+/.exec(text.trim().toUpperCase()) ?? [];
  const base = word.replace(OTHER_QUOTES, '');
  if (base === '' || base === QUOTE || base.length > MOST_BASE) return undefined;
  const known = STANDARD_LISTINGS.map(({ instrument }) => instrument.symbol);
  const whole = `${base}${QUOTE}`;
  return known.includes(whole) ? whole : (nearest(word, known) ?? whole);
}
