import type { Control } from '../control.js';
import { attribution } from './attribution.js';
import { instrumentRules } from './instrument-rules.js';
import { allowList, killSwitch, leverage, tradingMode } from './permission.js';
import { priceCollar, referencePriceAge } from './price.js';
import { duplicate, openOrders } from './repetition.js';
import { orderNotional, orderQuantity, positionNotional } from './size.js';
import { stateAge } from './state-age.js';

/** In the order of judgement: may we at all, do we know enough, is it one order, is it small enough. */
export const CONTROLS: readonly Control[] = [
  killSwitch,
  tradingMode,
  attribution,
  allowList,
  referencePriceAge,
  stateAge,
  instrumentRules,
  leverage,
  duplicate,
  orderNotional,
  orderQuantity,
  priceCollar,
  positionNotional,
  openOrders,
];
