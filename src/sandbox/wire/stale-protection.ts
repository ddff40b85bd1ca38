import type { ProtectiveOrderReport } from '../../core/account.js';
import type {
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../../exchange/simulated-exchange.js';

interface StaleProtectiveOrder {
  readonly order: Required<ProtectiveOrderReport>;
  /** Update time of the position's row when its order was cancelled. */
  readonly rowUpdatedAt: number;
}

/**
 * The quirk of cancelled stops that stay on a position's row until the row changes. It listens to the
 * exchange from its creation on, and returns positions with those stops.
 */
export function withStaleProtection(
  exchange: SimulatedExchange,
): (position: ExchangePosition) => ExchangePosition {
  const stopLosses = new Map<string, StaleProtectiveOrder>();
  const takeProfits = new Map<string, StaleProtectiveOrder>();
  exchange.listen((event) => {
    if (event.kind !== 'order' || event.order.status !== 'canceled') return;
    const { role, positionId } = event.order;
    const row = rowOf(exchange, event.order);
    const protectiveOrder = protectiveOrderOf(event.order);
    if (row === undefined || protectiveOrder === undefined || positionId === undefined) return;
    const stale = { order: protectiveOrder, rowUpdatedAt: row.updatedAt };
    if (role === 'stop-loss') stopLosses.set(positionId, stale);
    if (role === 'take-profit') takeProfits.set(positionId, stale);
  });
  const staleOrderOf = (
    staleOrders: Map<string, StaleProtectiveOrder>,
    { positionId, updatedAt }: ExchangePosition,
  ) => {
    const stale = staleOrders.get(positionId);
    return stale?.rowUpdatedAt === updatedAt ? stale.order : undefined;
  };
  return (position) => {
    const stopLoss = position.stopLoss ?? staleOrderOf(stopLosses, position);
    const takeProfit = position.takeProfit ?? staleOrderOf(takeProfits, position);
    return {
      ...position,
      ...(stopLoss !== undefined && { stopLoss }),
      ...(takeProfit !== undefined && { takeProfit }),
    };
  };
}

const rowOf = (exchange: SimulatedExchange, order: ExchangeOrder): ExchangePosition | undefined =>
  exchange.positions(order.currency).find((row) => row.positionId === order.positionId);

const protectiveOrderOf = ({
  price,
  orderId,
}: ExchangeOrder): Required<ProtectiveOrderReport> | undefined =>
  price === undefined ? undefined : { price, orderId };
