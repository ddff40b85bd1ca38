import {
  isLess,
  isMore,
  isMultipleOf,
  ONE,
  textFromFixed,
  type Fixed,
  type Price,
} from '../../core/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { breach, unknown, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import { compareProducts, productText } from '../products.js';

/** R07: the venue's own rules (interface, order create v2), so that a request is not spent on a no. */
export const instrumentRules: Control = {
  id: 'R07',
  key: 'instrument_rules',
  clock: 'none',
  judge(evidence) {
    const { instrument } = evidence;
    if (instrument === undefined) return unknown(`instrument ${evidence.intent.terms.symbol}`);
    return (
      judgeQuantity(evidence, instrument) ??
      judgePrice(evidence, instrument) ??
      judgeNotional(evidence, instrument) ??
      judgeReduction(evidence) ??
      judgeProtection(evidence, instrument) ??
      judgeLeverage(evidence, instrument)
    );
  },
  margins(evidence) {
    const { instrument, exit, intent } = evidence;
    if (instrument === undefined) return [];
    const { quantity, price = evidence.last } = intent.terms;
    const quantities: Margin = {
      part: 'quantity',
      value: textFromFixed(quantity),
      limit: textFromFixed(instrument.minQuantity),
      unit: 'base',
      least: true,
    };
    if (exit || price === undefined) return [quantities];
    const limit = textFromFixed(instrument.minNotional);
    const value = productText(quantity, price);
    return [quantities, { part: 'notional', value, limit, unit: 'USDT', least: true }];
  },
};

function judgeQuantity(evidence: Evidence, instrument: Instrument): Breach | undefined {
  const { quantity, type } = evidence.intent.terms;
  const { quantityStep, minQuantity, maxQuantity, maxMarketQuantity } = instrument;
  if (!(quantity > 0)) return broken('quantity', quantity, 'is not above 0');
  if (!isMultipleOf(quantity, quantityStep)) return offStep('quantity', quantity, quantityStep);
  if (isLess(quantity, minQuantity)) return below('quantity', quantity, minQuantity);
  if (isMore(quantity, maxQuantity)) return above('quantity', quantity, maxQuantity);
  if (type === 'market' && isMore(quantity, maxMarketQuantity)) {
    return above('quantity of a market order', quantity, maxMarketQuantity);
  }
  return undefined;
}

function judgePrice(evidence: Evidence, instrument: Instrument): Breach | undefined {
  const { price, type } = evidence.intent.terms;
  if (type === 'market') return undefined;
  if (price === undefined) return breach(() => 'a limit order has no price');
  return priceFault('limit price', price, instrument);
}

/**
 * Whether the venue holds exits to the minimum is not said (interface, Errors). Its no is clean and
 * costs a request; ours would lock a remainder in.
 */
function judgeNotional(evidence: Evidence, instrument: Instrument): Breach | undefined {
  if (evidence.exit) return undefined;
  const { quantity, type, symbol } = evidence.intent.terms;
  const price = type === 'limit' ? evidence.intent.terms.price : evidence.last;
  if (price === undefined) return unknown(`price of ${symbol}`);
  if (compareProducts(quantity, price, instrument.minNotional, ONE) >= 0) return undefined;
  return breach(
    () =>
      `${textFromFixed(quantity)} at ${textFromFixed(price)} is worth less than the minimum ` +
      `${textFromFixed(instrument.minNotional)} USDT`,
    () => ({
      quantity: textFromFixed(quantity),
      price: textFromFixed(price),
      min_notional: textFromFixed(instrument.minNotional),
    }),
  );
}

/** By the worst case: an entry of unknown outcome may have made the position that this one closes. */
function judgeReduction(evidence: Evidence): Breach | undefined {
  if (!evidence.exit) return undefined;
  const { side, symbol } = evidence.intent.terms;
  const possible = side === 'sell' ? evidence.longest > 0 : evidence.shortest < 0;
  if (possible) return undefined;
  return breach(
    () => `a reduce-only ${side} has no ${side === 'sell' ? 'long' : 'short'} ${symbol} to reduce`,
    () => ({ position: textFromFixed(evidence.position) }),
  );
}

function judgeProtection(evidence: Evidence, instrument: Instrument): Breach | undefined {
  const { stopLoss, takeProfit, side, price } = evidence.intent.terms;
  if (stopLoss === undefined && takeProfit === undefined) return undefined;
  if (evidence.exit) {
    return breach(() => 'a reduce-only order cannot carry a stop or target: the venue drops it');
  }
  const entry = price ?? evidence.last;
  const buy = side === 'buy';
  return (
    legFault('stop loss', stopLoss, { instrument, entry, belongsBelow: buy }) ??
    legFault('take profit', takeProfit, { instrument, entry, belongsBelow: !buy })
  );
}

interface Leg {
  readonly instrument: Instrument;
  readonly entry: Price | undefined;
  readonly belongsBelow: boolean;
}

function legFault(what: string, trigger: Price | undefined, leg: Leg): Breach | undefined {
  if (trigger === undefined) return undefined;
  const fault = priceFault(what, trigger, leg.instrument);
  if (fault !== undefined || leg.entry === undefined) return fault;
  if (leg.belongsBelow ? isLess(trigger, leg.entry) : isMore(trigger, leg.entry)) return undefined;
  const side = leg.belongsBelow ? 'below' : 'above';
  return broken(what, trigger, `is not ${side} the order price ${textFromFixed(leg.entry)}`);
}

function judgeLeverage(evidence: Evidence, instrument: Instrument): Breach | undefined {
  const { leverage, exit } = evidence;
  // Unknown leverage is R15's to refuse; an exit blocks no margin.
  if (exit || leverage === undefined) return undefined;
  const { minLeverage, maxLeverage, leverageStep } = instrument;
  if (isLess(leverage, minLeverage)) return below('leverage', leverage, minLeverage);
  if (isMore(leverage, maxLeverage)) return above('leverage', leverage, maxLeverage);
  if (!isMultipleOf(leverage, leverageStep)) return offStep('leverage', leverage, leverageStep);
  return undefined;
}

function priceFault(what: string, price: Price, instrument: Instrument): Breach | undefined {
  const { priceStep, minPrice, maxPrice } = instrument;
  if (!(price > 0)) return broken(what, price, 'is not above 0');
  if (!isMultipleOf(price, priceStep)) return offStep(what, price, priceStep);
  if (isLess(price, minPrice)) return below(what, price, minPrice);
  if (isMore(price, maxPrice)) return above(what, price, maxPrice);
  return undefined;
}

const offStep = (what: string, value: Fixed, step: Fixed): Breach =>
  broken(what, value, `is not a multiple of the step ${textFromFixed(step)}`);
const below = (what: string, value: Fixed, limit: Fixed): Breach =>
  broken(what, value, `is below the minimum ${textFromFixed(limit)}`);
const above = (what: string, value: Fixed, limit: Fixed): Breach =>
  broken(what, value, `is above the maximum ${textFromFixed(limit)}`);

function broken(what: string, value: Fixed, rule: string): Breach {
  return breach(
    () => `${what} ${textFromFixed(value)} ${rule}`,
    () => ({ rule: `${what} ${rule}`, value: textFromFixed(value) }),
  );
}
