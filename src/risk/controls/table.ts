import type { Control } from '../control.js';
import { instrumentRules } from './instrument-rules.js';
import { liquidationDistance } from './liquidation.js';
import {
  fundingGuard,
  hedgeRateAge,
  marketEntry,
  priceDrift,
  priceJump,
  volatility,
} from './market.js';
import { allowList, attribution, killSwitch, leverage, tradingMode } from './permission.js';
import { dailyLoss, dailyTurnover, drawdown, lossStreak } from './losses.js';
import { priceCollar, referencePriceAge } from './price.js';
import { accountExposure, marginUtilisation } from './account-exposure.js';
import { duplicate, entryRate, openOrders, unknownOrders } from './duplicate-and-open-orders.js';
import { selfCross } from './self-cross.js';
import { orderNotional, orderQuantity, positionNotional } from './size.js';
import { stateAge } from './state-age.js';
import { strategyBudget } from './strategy-budget.js';
import { tradeLoss } from './stop-loss.js';

/**
 * In order of evaluation: permission, known and fresh data, calm market, valid and unique order, size,
 * losses, rate.
 */
export const CONTROLS: readonly Control[] = [
  killSwitch,
  tradingMode,
  attribution,
  allowList,
  marketEntry,
  referencePriceAge,
  stateAge,
  priceDrift,
  priceJump,
  volatility,
  fundingGuard,
  hedgeRateAge,
  instrumentRules,
  leverage,
  unknownOrders,
  duplicate,
  selfCross,
  orderNotional,
  orderQuantity,
  priceCollar,
  positionNotional,
  accountExposure,
  marginUtilisation,
  strategyBudget,
  liquidationDistance,
  openOrders,
  tradeLoss,
  dailyLoss,
  drawdown,
  lossStreak,
  dailyTurnover,
  entryRate,
];
