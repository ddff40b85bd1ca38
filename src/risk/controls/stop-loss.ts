import {
  absolute,
  add,
  fixedFromText,
  larger,
  multiply,
  ONE,
  subtract,
  textFromFixed,
  ZERO,
  type Price,
  type Ratio,
  type Usdt,
} from '../../core/fixed/fixed.js';
import { breach, missingData, type Control } from '../control.js';
import type { Evidence } from '../evidence.js';
import { TAKER_FEE } from '../loss/wallet-baseline.js';
import { compareProducts, productText } from '../product-text.js';

/** Assumed slippage of a market entry and of the stop, as a share of the price. */
const SLIPPAGE: Ratio = fixedFromText('0.0005');

/**
 * R17: an entry carries a stop, and the loss at that stop is bounded: both taker fees and slippage
 * included. Under `warn` an entry without a stop passes; the engine notes it once a strategy.
 */
export const tradeLoss: Control = {
  id: 'R17',
  key: 'max_loss_per_trade_pct',
  clock: 'none',
  class: 'reject',
  judge(evidence, { loss }) {
    if (evidence.isExit) return undefined;
    const { stopLoss, symbol } = evidence.intent.terms;
    if (stopLoss === undefined) {
      if (loss.stopLoss !== 'require') return undefined;
      return breach(
        () => `the entry has no stop loss: set protect.stop_loss_pct (require_stop_loss)`,
        () => ({ missing: 'stop_loss' }),
      );
    }
    const atStop = lossAtStop(evidence, stopLoss);
    if (atStop === undefined) return missingData(`price of ${symbol}`);
    const { equityUsdt } = evidence;
    if (equityUsdt === undefined) return missingData('equity');
    if (compareProducts(atStop, ONE, loss.maxTradeShare, equityUsdt) <= 0) return undefined;
    const limit = () => productText(loss.maxTradeShare, equityUsdt);
    return breach(
      () =>
        `the loss at the stop ${textFromFixed(stopLoss)} is ${textFromFixed(atStop)} USDT ` +
        `with fees and slippage, limit ${limit()} USDT`,
      () => ({ loss: textFromFixed(atStop), limit: limit() }),
    );
  },
  margins(evidence, { loss }) {
    const { equityUsdt, intent, isExit } = evidence;
    const { stopLoss } = intent.terms;
    if (isExit || stopLoss === undefined || equityUsdt === undefined) return [];
    const atStop = lossAtStop(evidence, stopLoss);
    if (atStop === undefined) return [];
    const limit = productText(loss.maxTradeShare, equityUsdt);
    return [{ value: textFromFixed(atStop), limit, unit: 'USDT' }];
  },
};

/**
 * Quantity × (distance from entry to stop + slippage of both + fees of both). The entry is the limit price,
 * or the last price of a market order. A stop beyond the entry (R07 refuses it) loses the costs alone.
 */
function lossAtStop({ intent, last }: Evidence, stop: Price): Usdt | undefined {
  const { price, quantity, side, type } = intent.terms;
  const entry = price ?? last;
  if (entry === undefined) return undefined;
  const distance = side === 'buy' ? subtract(entry, stop) : subtract(stop, entry);
  const slipped = type === 'market' ? add(entry, stop) : stop;
  const costs = add(
    multiply<'price'>(slipped, SLIPPAGE),
    multiply<'price'>(add(entry, stop), TAKER_FEE),
  );
  return multiply(absolute(quantity), add(larger(distance, ZERO as Price), costs));
}
