import type { Outcome, Reply, VenueRequest } from '../core/request.js';
import type { RejectionCode } from '../core/rejection.js';
import type { Answer, SimulatedExchange } from './simulated-exchange.js';

/** The exchange as the engine's venue, in process: answers in the same moment, loses none. */
export interface SimulatedVenue {
  reply(request: VenueRequest): Reply;
}

/** HTTP status of each refusal that is not a plain 400 (interface, Order create v2). */
const STATUS: Partial<Record<RejectionCode, number>> = {
  'asset-not-found': 404,
  'order-not-found': 404,
  'client-order-id-exists': 409,
  locked: 423,
};

/**
 * @param options.ids  hand client order ids to the exchange, which then checks that they are unique
 */
export function createSimulatedVenue(
  exchange: SimulatedExchange,
  options: { readonly ids: boolean },
): SimulatedVenue {
  return { reply: (request) => replyTo(exchange, request, options.ids) };
}

function replyTo(exchange: SimulatedExchange, request: VenueRequest, ids: boolean): Reply {
  switch (request.kind) {
    case 'place': {
      const placed = exchange.place({
        terms: request.terms,
        ...(ids && { clientOrderId: request.clientOrderId }),
      });
      return { to: 'place', outcome: outcomeOf(placed) };
    }
    case 'cancel': {
      const canceled = exchange.cancel(request.order);
      return { to: 'cancel', outcome: canceled.ok ? yes(null) : no(canceled.code) };
    }
    case 'find-order': {
      const order = exchange.order(request.order);
      return {
        to: 'find-order',
        outcome: order === undefined ? no('order-not-found') : yes(order),
      };
    }
    case 'read-leverage': {
      const leverage = exchange.leverage(request.symbol, request.currency);
      const outcome = leverage === undefined ? no('leverage-not-set', 404) : yes(leverage);
      return { to: 'read-leverage', outcome };
    }
    case 'set-leverage': {
      const { symbol, currency, leverage } = request;
      const outcome = outcomeOf(exchange.setLeverage(symbol, currency, leverage));
      return { to: 'set-leverage', outcome };
    }
    case 'read-open-orders':
      return { to: 'read-open-orders', outcome: yes(exchange.openOrders(request.currency)) };
    case 'read-order-history': {
      const orders = exchange.orderHistory(request.currency, request.limit);
      return { to: 'read-order-history', outcome: yes(orders) };
    }
    case 'read-positions':
      return { to: 'read-positions', outcome: yes(exchange.positions(request.currency)) };
    case 'read-closes': {
      const closes = exchange.positionHistory(request.currency).slice(0, request.limit);
      return { to: 'read-closes', outcome: yes(closes) };
    }
    case 'read-wallet':
      return { to: 'read-wallet', outcome: yes(exchange.futuresWallet(request.currency)) };
  }
}

const yes = <T>(value: T): Outcome<T> => ({ kind: 'yes', value });

const no = (code: RejectionCode, status = STATUS[code] ?? 400): Outcome<never> => ({
  kind: 'no',
  code,
  text: code,
  status,
});

const outcomeOf = <T>(answer: Answer<T>): Outcome<T> =>
  answer.ok ? yes(answer.value) : no(answer.code);
