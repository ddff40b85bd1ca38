import type { FeeReport } from '../../../src/core/account.js';
import type { Currency } from '../../../src/core/currency.js';
import type { ExchangeOrder, SimulatedExchange } from '../../../src/exchange/simulated-exchange.js';
import type { AccountLists, FilledOrder } from '../../../src/report/books/account-lists.js';

/** The lists of an exchange as its interface gives them: whole seconds, and no order on a charge. */
export const accountListsOf = (
  exchange: SimulatedExchange,
  currency: Currency,
  options: { readonly executions?: boolean } = {},
): AccountLists => ({
  currency,
  orders: exchange
    .allOrders()
    .filter((order) => order.currency === currency && order.filledQuantity > 0)
    .map((order) => filledOrder(order, options.executions === true)),
  closes: exchange.positionHistory(currency),
  charges: exchange.fees(currency).map(withoutOrderId),
  transfers: exchange.transfers(currency),
});

function filledOrder(order: ExchangeOrder, hasExecutions: boolean): FilledOrder {
  const { orderId, symbol, currency, role, side, type, status, quantity, filledQuantity } = order;
  const { averagePrice, clientOrderId, positionId, hedgeRate, createdAt, updatedAt } = order;
  return {
    orderId,
    symbol,
    currency,
    role,
    ...(role === 'trade' && side !== undefined && { side }),
    type,
    status,
    quantity,
    filledQuantity,
    hedgeRate,
    createdAt: seconds(createdAt),
    updatedAt: seconds(updatedAt),
    ...(averagePrice !== undefined && { averagePrice }),
    ...(clientOrderId !== undefined && { clientOrderId }),
    ...(positionId !== undefined && { positionId }),
    ...(hasExecutions && {
      executions: order.executions.map(({ id, time, ...execution }) => ({
        ...execution,
        transactionId: id,
        filledAt: time,
      })),
    }),
  };
}

function withoutOrderId({ order, ...charge }: FeeReport): FeeReport {
  if (order === undefined) return charge;
  const { orderId: _, ...rest } = order;
  return { ...charge, order: rest };
}

const seconds = (ms: number): number => ms - (ms % 1_000);
