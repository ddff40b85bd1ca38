import type { ProtectionLeg } from '../core/account.js';
import type {
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../exchange/simulated-exchange.js';

interface Remembered {
  readonly leg: Required<ProtectionLeg>;
  /** Of the position's row when its leg was cancelled. */
  readonly rowUpdatedAt: number;
}

/**
 * The quirk of stops that stay on a position's row after they were cancelled, until the row changes:
 * listens from now on, and shows a position as its row then looks.
 */
export function rememberLegs(
  exchange: SimulatedExchange,
): (position: ExchangePosition) => ExchangePosition {
  const stopLosses = new Map<string, Remembered>();
  const takeProfits = new Map<string, Remembered>();
  exchange.listen((event) => {
    if (event.kind !== 'order' || event.order.status !== 'canceled') return;
    const { role, positionId } = event.order;
    const row = rowOf(exchange, event.order);
    const leg = legOf(event.order);
    if (row === undefined || leg === undefined || positionId === undefined) return;
    const remembered = { leg, rowUpdatedAt: row.updatedAt };
    if (role === 'stop-loss') stopLosses.set(positionId, remembered);
    if (role === 'take-profit') takeProfits.set(positionId, remembered);
  });
  const still = (legs: Map<string, Remembered>, { positionId, updatedAt }: ExchangePosition) => {
    const remembered = legs.get(positionId);
    return remembered?.rowUpdatedAt === updatedAt ? remembered.leg : undefined;
  };
  return (position) => {
    const stopLoss = position.stopLoss ?? still(stopLosses, position);
    const takeProfit = position.takeProfit ?? still(takeProfits, position);
    return {
      ...position,
      ...(stopLoss !== undefined && { stopLoss }),
      ...(takeProfit !== undefined && { takeProfit }),
    };
  };
}

const rowOf = (exchange: SimulatedExchange, order: ExchangeOrder): ExchangePosition | undefined =>
  exchange.positions(order.currency).find((row) => row.positionId === order.positionId);

const legOf = ({ price, orderId }: ExchangeOrder): Required<ProtectionLeg> | undefined =>
  price === undefined ? undefined : { price, orderId };
