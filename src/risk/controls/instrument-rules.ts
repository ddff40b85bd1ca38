import {
  isLess,
  isGreater,
  isMultipleOf,
  ONE,
  textFromFixed,
  type Fixed,
  type Price,
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { breach, missingData, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import { compareProducts, productText } from '../product-text.js';

/** R07: the venue's own rules (interface: order create v2), so that no request is spent on a sure refusal. */
export const instrumentRules: Control = {
  id: 'R07',
  key: 'instrument_rules',
  clock: 'none',
  class: 'reject',
  judge(evidence) {
    const { instrument } = evidence;
    if (instrument === undefined) return missingData(`instrument ${evidence.intent.terms.symbol}`);
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
    const { instrument, isExit, intent } = evidence;
    if (instrument === undefined) return [];
    const { quantity, price = evidence.last } = intent.terms;
    const quantities: Margin = {
      part: 'quantity',
      value: textFromFixed(quantity),
      limit: textFromFixed(instrument.minQuantity),
      unit: 'base',
      least: true,
    };
    if (isExit || price === undefined) return [quantities];
    const limit = textFromFixed(instrument.minNotional);
    const value = productText(quantity, price);
    return [quantities, { part: 'notional', value, limit, unit: 'USDT', least: true }];
  },
};

function judgeQuantity(evidence: Evidence, instrument: Instrument): Breach | undefined {
  const { quantity, type } = evidence.intent.terms;
  const { quantityStep, minQuantity, maxQuantity, maxMarketQuantity } = instrument;
  if (!(quantity > 0)) return ruleBreach('quantity', quantity, 'is not above 0');
  if (!isMultipleOf(quantity, quantityStep)) return offStep('quantity', quantity, quantityStep);
  if (isLess(quantity, minQuantity)) return below('quantity', quantity, minQuantity);
  if (isGreater(quantity, maxQuantity)) return above('quantity', quantity, maxQuantity);
  if (type === 'market' && isGreater(quantity, maxMarketQuantity)) {
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
 * Exits pass: the venue does not document whether its minimum applies to them. Its refusal costs a request;
 * a refusal here would lock in a remainder.
 */
function judgeNotional(evidence: Evidence, instrument: Instrument): Breach | undefined {
  if (evidence.isExit) return undefined;
  const { quantity, type, symbol } = evidence.intent.terms;
  const price = type === 'limit' ? evidence.intent.terms.price : evidence.last;
  if (price === undefined) return missingData(`price of ${symbol}`);
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

/** Counts the worst case: an entry of unknown outcome may have opened the position. */
function judgeReduction(evidence: Evidence): Breach | undefined {
  if (!evidence.isExit) return undefined;
  const { side, symbol } = evidence.intent.terms;
  const possible = side === 'sell' ? evidence.maxPosition > 0 : evidence.minPosition < 0;
  if (possible) return undefined;
  return breach(
    () => `a reduce-only ${side} has no ${side === 'sell' ? 'long' : 'short'} ${symbol} to reduce`,
    () => ({ position: textFromFixed(evidence.position) }),
  );
}

function judgeProtection(evidence: Evidence, instrument: Instrument): Breach | undefined {
  const { stopLoss, takeProfit, side, price } = evidence.intent.terms;
  if (stopLoss === undefined && takeProfit === undefined) return undefined;
  if (evidence.isExit) {
    return breach(() => 'a reduce-only order cannot carry a stop or target: the venue drops it');
  }
  const entry = price ?? evidence.last;
  const buy = side === 'buy';
  return (
    triggerFault('stop loss', stopLoss, { instrument, entry, belongsBelow: buy }) ??
    triggerFault('take profit', takeProfit, { instrument, entry, belongsBelow: !buy })
  );
}

interface TriggerContext {
  readonly instrument: Instrument;
  readonly entry: Price | undefined;
  readonly belongsBelow: boolean;
}

function triggerFault(
  what: string,
  trigger: Price | undefined,
  context: TriggerContext,
): Breach | undefined {
  if (trigger === undefined) return undefined;
  const fault = priceFault(what, trigger, context.instrument);
  if (fault !== undefined || context.entry === undefined) return fault;
  if (context.belongsBelow ? isLess(trigger, context.entry) : isGreater(trigger, context.entry))
    return undefined;
  const side = context.belongsBelow ? 'below' : 'above';
  return ruleBreach(
    what,
    trigger,
    `is not ${side} the order price ${textFromFixed(context.entry)}`,
  );
}

function judgeLeverage(evidence: Evidence, instrument: Instrument): Breach | undefined {
  const { leverage, isExit } = evidence;
  // R15 refuses unknown leverage; an exit needs no margin.
  if (isExit || leverage === undefined) return undefined;
  const { minLeverage, maxLeverage, leverageStep } = instrument;
  if (isLess(leverage, minLeverage)) return below('leverage', leverage, minLeverage);
  if (isGreater(leverage, maxLeverage)) return above('leverage', leverage, maxLeverage);
  if (!isMultipleOf(leverage, leverageStep)) return offStep('leverage', leverage, leverageStep);
  return undefined;
}

function priceFault(what: string, price: Price, instrument: Instrument): Breach | undefined {
  const { priceStep, minPrice, maxPrice } = instrument;
  if (!(price > 0)) return ruleBreach(what, price, 'is not above 0');
  if (!isMultipleOf(price, priceStep)) return offStep(what, price, priceStep);
  if (isLess(price, minPrice)) return below(what, price, minPrice);
  if (isGreater(price, maxPrice)) return above(what, price, maxPrice);
  return undefined;
}

const offStep = (what: string, value: Fixed, step: Fixed): Breach =>
  ruleBreach(what, value, `is not a multiple of the step ${textFromFixed(step)}`);
const below = (what: string, value: Fixed, limit: Fixed): Breach =>
  ruleBreach(what, value, `is below the minimum ${textFromFixed(limit)}`);
const above = (what: string, value: Fixed, limit: Fixed): Breach =>
  ruleBreach(what, value, `is above the maximum ${textFromFixed(limit)}`);

function ruleBreach(what: string, value: Fixed, rule: string): Breach {
  return breach(
    () => `${what} ${textFromFixed(value)} ${rule}`,
    () => ({ rule: `${what} ${rule}`, value: textFromFixed(value) }),
  );
}
