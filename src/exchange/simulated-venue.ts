import type { PositionReport } from '../core/account.js';
import type { MarginChange, Outcome, Reply, RequestOf, VenueRequest } from '../core/request.js';
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
  'position-not-found': 404,
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
      const { currency, limit, from = 0, changedSince = from } = request;
      const all = exchange.orderHistory(currency, request.from === undefined ? limit : undefined);
      const orders = all.filter(
        ({ createdAt, updatedAt }) => createdAt >= from || updatedAt >= changedSince,
      );
      return { to: 'read-order-history', outcome: yes(orders) };
    }
    case 'read-positions':
      return { to: 'read-positions', outcome: yes(exchange.positions(request.currency)) };
    case 'read-closes': {
      const { limit, from } = request;
      const all = exchange.positionHistory(request.currency);
      const closes =
        from === undefined ? all.slice(0, limit) : all.filter(({ openedAt }) => openedAt >= from);
      return { to: 'read-closes', outcome: yes(closes) };
    }
    case 'read-wallet':
      return { to: 'read-wallet', outcome: yes(exchange.futuresWallet(request.currency)) };
    case 'read-spot-wallet': {
      const { currency } = request;
      const withdrawable = exchange.spotBalance(currency);
      return { to: 'read-spot-wallet', outcome: yes({ currency, withdrawable }) };
    }
    case 'read-transfers': {
      const rows = exchange.transfers(request.currency).slice(0, request.limit);
      return { to: 'read-transfers', outcome: yes(rows) };
    }
    default:
      return changeBy(exchange, request, ids);
  }
}

type Change = RequestOf<'amend' | 'set-leg' | 'move-leg' | 'change-margin' | 'transfer'>;

function changeBy(exchange: SimulatedExchange, request: Change, ids: boolean): Reply {
  switch (request.kind) {
    case 'amend': {
      const { orderId, price, quantity } = request;
      return { to: 'amend', outcome: nothingOf(exchange.amend({ orderId }, { price, quantity })) };
    }
    case 'set-leg': {
      const { positionId, slot, price, clientOrderId } = request;
      const leg = { price, ...(ids && { clientOrderId }) };
      return { to: 'set-leg', outcome: nothingOf(exchange.protect(positionId, { [slot]: leg })) };
    }
    case 'move-leg': {
      const { positionId, slot, price, orderId } = request;
      const change = { [slot]: { price, order: { orderId } } };
      const outcome = nothingOf(exchange.moveProtection(positionId, change));
      return { to: 'move-leg', outcome };
    }
    case 'change-margin': {
      const answer = exchange.adjustMargin(request.positionId, request.change);
      return {
        to: 'change-margin',
        outcome: answer.ok ? yes(marginOf(answer.value)) : no(answer.code),
      };
    }
    case 'transfer': {
      const { currency, direction, amount } = request;
      return { to: 'transfer', outcome: nothingOf(exchange.transfer(currency, direction, amount)) };
    }
  }
}

const marginOf = ({ initialMargin, liquidationPrice }: PositionReport): MarginChange => ({
  initialMargin,
  ...(liquidationPrice !== undefined && { liquidationPrice }),
});

/** The interface answers these with a message. */
const nothingOf = (answer: Answer<unknown>): Outcome<null> =>
  answer.ok ? yes(null) : no(answer.code);

const yes = <T>(value: T): Outcome<T> => ({ kind: 'yes', value });

const no = (code: RejectionCode, status = STATUS[code] ?? 400): Outcome<never> => ({
  kind: 'no',
  code,
  text: code,
  status,
});

const outcomeOf = <T>(answer: Answer<T>): Outcome<T> =>
  answer.ok ? yes(answer.value) : no(answer.code);
