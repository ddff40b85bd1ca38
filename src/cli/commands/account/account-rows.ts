import type { CloseReport } from '../../../core/account.js';
import type { Decimal } from '../../../core/fixed/decimal.js';
import { add, textFromFixed, type Fixed } from '../../../core/fixed/fixed.js';
import type {
  AssetDetail,
  ExecutionReport,
  FeeDetail,
  FuturesWallet,
  OrderDetail,
  PositionDetail,
  SpotWallet,
  TransferDetail,
} from '../../../venue/futures-api/futures-api.js';
import type { Row } from '../../../report/rows-table.js';

/** Replies of the venue as records of texts, for `--json` and for tables. */

const text = (value: Fixed | undefined): string | null =>
  value === undefined ? null : textFromFixed(value);
const decimalText = (value: Decimal | undefined): string | null => value?.toFixed() ?? null;
const time = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

export const spotRow = (wallet: SpotWallet): Row => ({
  wallet: 'spot',
  currency: wallet.currency,
  total: text(wallet.total),
  free: text(wallet.withdrawable),
  locked: text(wallet.invested),
  rewards: text(wallet.rewards),
});

export const futuresRow = (wallet: FuturesWallet): Row => ({
  wallet: 'futures',
  currency: wallet.currency,
  total: text(add(wallet.balance, wallet.locked) as typeof wallet.balance),
  free: text(wallet.balance),
  locked: text(wallet.locked),
  rewards: null,
});

export const positionRow = (position: PositionDetail): Row => ({
  symbol: position.symbol,
  side: position.side,
  quantity: text(position.quantity),
  entry_price: text(position.entryPrice),
  liquidation_price: text(position.liquidationPrice),
  leverage: text(position.leverage),
  initial_margin: text(position.initialMargin),
  maintenance_margin: text(position.maintenanceMargin),
  stop_loss: text(position.stopLoss?.price),
  take_profit: text(position.takeProfit?.price),
  currency: position.currency,
  position_id: position.positionId,
  opened_at: time(position.createdAt),
});

export const orderRow = (order: OrderDetail): Row => ({
  order_id: order.orderId,
  client_order_id: order.clientOrderId ?? null,
  symbol: order.symbol ?? null,
  role: order.role,
  side: order.side ?? null,
  type: order.type,
  status: order.status,
  quantity: text(order.quantity),
  filled_quantity: text(order.filledQuantity),
  price: text(order.price),
  average_price: text(order.averagePrice),
  leverage: text(order.leverage),
  currency: order.currency,
  position_id: order.positionId ?? null,
  reason: order.reason ?? null,
  created_at: time(order.createdAt),
});

export const fillRow = (fill: ExecutionReport['executions'][number]): Row => ({
  time: time(fill.filledAt),
  quantity: text(fill.quantity),
  price: text(fill.price),
  value: decimalText(fill.value),
  fee: text(fill.fee),
  liquidity: fill.maker ? 'maker' : 'taker',
  transaction_id: fill.transactionId,
});

export const closeRow = (close: CloseReport): Row => ({
  symbol: close.symbol,
  side: close.side,
  kind: close.kind,
  quantity: text(close.quantity),
  entry_price: text(close.entryPrice),
  close_price: text(close.closePrice),
  pnl: text(close.pnl),
  currency: close.currency,
  opened_at: time(close.openedAt),
  closed_at: time(close.closedAt),
  position_id: close.positionId,
  order_id: close.orderId,
});

export const feeRow = (fee: FeeDetail): Row => ({
  time: time(fee.createdAt),
  symbol: fee.symbol,
  kind: fee.kind,
  amount: text(fee.amount),
  percent: fee.percent,
  value: text(fee.value),
  gst: text(fee.gst),
  currency: fee.currency,
  side: fee.order?.side ?? null,
  type: fee.order?.type ?? null,
  fee_id: fee.id ?? null,
});

export const transferRow = (transfer: TransferDetail): Row => ({
  time: time(transfer.createdAt),
  direction: transfer.direction,
  amount: text(transfer.amount),
  currency: transfer.currency,
  status: transfer.status,
  transaction_id: transfer.id,
});

export const instrumentRow = ({ instrument, ...detail }: AssetDetail): Row => ({
  symbol: instrument.symbol,
  price: text(detail.price),
  quantity_step: text(instrument.quantityStep),
  min_quantity: text(instrument.minQuantity),
  max_quantity: text(instrument.maxQuantity),
  max_market_quantity: text(instrument.maxMarketQuantity),
  price_step: text(instrument.priceStep),
  min_notional: text(instrument.minNotional),
  min_leverage: text(instrument.minLeverage),
  max_leverage: text(instrument.maxLeverage),
  funding_rate: decimalText(detail.fundingRate),
  next_funding_at: time(detail.nextFundingMs),
  trading_fee_pct: decimalText(detail.tradingFeePercent),
  asset_id: instrument.assetId,
});
