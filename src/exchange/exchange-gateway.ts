import type { PositionReport } from '../core/account.js';
import type { MarginChange, Outcome, Reply, RequestOf, VenueRequest } from '../core/request.js';
import type { RejectionCode } from '../core/rejection.js';
import type { ExchangeResult, SimulatedExchange } from './simulated-exchange.js';

/** The in-process exchange as the engine's venue. Every request is answered at once; none is lost. */
export interface ExchangeGateway {
  reply(request: VenueRequest): Reply;
}

/** HTTP status of the refusals that are not a plain 400 (interface: order create v2). */
const STATUS: Partial<Record<RejectionCode, number>> = {
  'asset-not-found': 404,
  'order-not-found': 404,
  'position-not-found': 404,
  'client-order-id-exists': 409,
  locked: 423,
};

/**
 * @param options.ids pass client order ids to the exchange, which then checks that they are unique
 */
export function createExchangeGateway(
  exchange: SimulatedExchange,
  options: { readonly ids: boolean },
): ExchangeGateway {
  return { reply: (request) => replyTo(exchange, request, options.ids) };
}

function replyTo(exchange: SimulatedExchange, request: VenueRequest, ids: boolean): Reply {
  switch (request.kind) {
    case 'place': {
      const { terms } = request;
      const command = ids ? { terms, clientOrderId: request.clientOrderId } : { terms };
      return { to: 'place', outcome: outcomeOf(exchange.place(command)) };
    }
    case 'cancel': {
      const canceled = exchange.cancel(request.order);
      return { to: 'cancel', outcome: canceled.ok ? accepted(null) : rejected(canceled.code) };
    }
    case 'find-order': {
      const order = exchange.order(request.order);
      return {
        to: 'find-order',
        outcome: order === undefined ? rejected('order-not-found') : accepted(order),
      };
    }
    case 'read-leverage': {
      const leverage = exchange.leverage(request.symbol, request.currency);
      const outcome =
        leverage === undefined ? rejected('leverage-not-set', 404) : accepted(leverage);
      return { to: 'read-leverage', outcome };
    }
    case 'set-leverage': {
      const { symbol, currency, leverage } = request;
      const outcome = outcomeOf(exchange.setLeverage(symbol, currency, leverage));
      return { to: 'set-leverage', outcome };
    }
    case 'read-open-orders':
      return { to: 'read-open-orders', outcome: accepted(exchange.openOrders(request.currency)) };
    case 'read-order-history': {
      const { currency, limit, from = 0, changedSince = from } = request;
      const all = exchange.orderHistory(currency, request.from === undefined ? limit : undefined);
      const orders = all.filter(
        ({ createdAt, updatedAt }) => createdAt >= from || updatedAt >= changedSince,
      );
      return { to: 'read-order-history', outcome: accepted(orders) };
    }
    case 'read-positions':
      return { to: 'read-positions', outcome: accepted(exchange.positions(request.currency)) };
    case 'read-closes': {
      const { currency, limit, from } = request;
      const closes = exchange.positionHistory(
        currency,
        from === undefined ? limit : undefined,
        from,
      );
      return { to: 'read-closes', outcome: accepted(closes) };
    }
    case 'read-wallet':
      return { to: 'read-wallet', outcome: accepted(exchange.futuresWallet(request.currency)) };
    case 'read-instrument': {
      const instrument = exchange.instrument(request.symbol);
      const outcome = instrument === undefined ? rejected('asset-not-found') : accepted(instrument);
      return { to: 'read-instrument', outcome };
    }
    case 'read-spot-wallet': {
      const { currency } = request;
      const withdrawable = exchange.spotBalance(currency);
      return { to: 'read-spot-wallet', outcome: accepted({ currency, withdrawable }) };
    }
    case 'read-transfers': {
      const rows = exchange.transfers(request.currency).slice(0, request.limit);
      return { to: 'read-transfers', outcome: accepted(rows) };
    }
    default:
      return applyChange(exchange, request, ids);
  }
}

type ChangeRequest = RequestOf<'amend' | 'set-leg' | 'move-leg' | 'change-margin' | 'transfer'>;

function applyChange(exchange: SimulatedExchange, request: ChangeRequest, ids: boolean): Reply {
  switch (request.kind) {
    case 'amend': {
      const { orderId, price, quantity } = request;
      return {
        to: 'amend',
        outcome: emptyOutcomeOf(exchange.amend({ orderId }, { price, quantity })),
      };
    }
    case 'set-leg': {
      const { positionId, slot, price, clientOrderId } = request;
      const terms = { price, ...(ids && { clientOrderId }) };
      return {
        to: 'set-leg',
        outcome: emptyOutcomeOf(exchange.protect(positionId, { [slot]: terms })),
      };
    }
    case 'move-leg': {
      const { positionId, slot, price, orderId } = request;
      const change = { [slot]: { price, order: { orderId } } };
      const outcome = emptyOutcomeOf(exchange.moveProtection(positionId, change));
      return { to: 'move-leg', outcome };
    }
    case 'change-margin': {
      const result = exchange.adjustMargin(request.positionId, request.change);
      return {
        to: 'change-margin',
        outcome: result.ok ? accepted(marginOf(result.value)) : rejected(result.code),
      };
    }
    case 'transfer': {
      const { currency, direction, amount } = request;
      return {
        to: 'transfer',
        outcome: emptyOutcomeOf(exchange.transfer(currency, direction, amount)),
      };
    }
  }
}

const marginOf = ({ initialMargin, liquidationPrice }: PositionReport): MarginChange => ({
  initialMargin,
  ...(liquidationPrice !== undefined && { liquidationPrice }),
});

/** The interface answers these requests with a message only. */
const emptyOutcomeOf = (result: ExchangeResult<unknown>): Outcome<null> =>
  result.ok ? accepted(null) : rejected(result.code);

const accepted = <T>(value: T): Outcome<T> => ({ kind: 'yes', value });

const rejected = (code: RejectionCode, status = STATUS[code] ?? 400): Outcome<never> => ({
  kind: 'no',
  code,
  text: code,
  status,
});

const outcomeOf = <T>(result: ExchangeResult<T>): Outcome<T> =>
  result.ok ? accepted(result.value) : rejected(result.code);
