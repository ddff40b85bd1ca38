import type { Control } from '../control.js';
import { instrumentRules } from './instrument-rules.js';
import { allowList, attribution, killSwitch, leverage, tradingMode } from './permission.js';
import { priceCollar, referencePriceAge } from './price.js';
import { duplicate, openOrders } from './duplicate-and-open-orders.js';
import { orderNotional, orderQuantity, positionNotional } from './size.js';
import { stateAge } from './state-age.js';

/** In order of evaluation: permission, known and fresh data, valid and unique order, size. */
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
