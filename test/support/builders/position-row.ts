import type { PositionReport } from '../../../src/core/account.js';
import { d } from './risk-case.js';

/** A row of open positions: of BTCUSDT at 60000. @param quantity decimal text; below 0 it is a short one */
export const positionRow = (
  quantity: string,
  fields: Partial<PositionReport> = {},
): PositionReport => ({
  positionId: 'p1',
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: quantity.startsWith('-') ? 'short' : 'long',
  quantity: d(quantity.replace('-', '')),
  entryPrice: d('60000'),
  leverage: d('2'),
  initialMargin: d('1'),
  maintenanceMargin: d('1'),
  ...fields,
});
