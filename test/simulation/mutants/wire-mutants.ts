import type { Mutant } from './mutant.js';

/** How an answer of the venue is read, and what is sent to it. */
export const WIRE_MUTANTS: readonly Mutant[] = [
  {
    name: '500 is a rejection',
    in: 'rejectionOf',
    find: 'if (!isCredibleRejection(operation, status)) return undefined;',
    replace:
      "if (status >= 500) return { kind: 'no', code: 'params-error', text: 'other', status };",
    hazard: 'A9',
  },
  {
    name: 'a rejection that is not in the table is one of the balance',
    in: 'rejectionOf',
    find: 'if (code === undefined || codes.includes(undefined)) return undefined;',
    replace:
      "if (code === undefined || codes.includes(undefined)) return { kind: 'no', code: 'insufficient-balance', text: 'other', status };",
    hazard: 'A9, A39',
  },
  {
    name: '404 without envelope counts as not found',
    in: 'outcomeOfResponse',
    find: "if (envelope.kind === 'unreadable') return unknown(envelope.cause);",
    replace:
      "if (envelope.kind === 'unreadable') return status === 404 ? { kind: 'no', code: 'order-not-found', text: envelope.cause, status } : unknown(envelope.cause);",
    hazard: 'A12',
  },
  {
    name: 'a page of a proxy is a rejection',
    in: 'outcomeOfResponse',
    find: "if (envelope.kind === 'unreadable') return unknown(envelope.cause);",
    replace:
      "if (envelope.kind === 'unreadable') return { kind: 'no', code: 'invalid-request', text: envelope.cause, status };",
    hazard: 'A11, A13',
  },
  {
    name: 'a yes that cannot be read is a no',
    in: 'outcomeOfResponse',
    find: 'if (!value.success) return unknown(`the data is unreadable: ${issueText(value.error)}`);',
    replace:
      "if (!value.success) return { kind: 'no', code: 'invalid-request', text: issueText(value.error), status };",
    hazard: 'A13',
  },
  {
    name: 'what the network swallowed was never sent',
    in: 'HttpClient.#send',
    find: 'const sent = error instanceof TransportError ? error.sent : true;',
    replace: 'const sent = error instanceof TransportError ? false : true;',
    hazard: 'A2, A28',
  },
  {
    name: 'a lost request is sent once more below the protocol',
    in: 'HttpClient.#send',
    find: 'const sent = error instanceof TransportError ? error.sent : true;',
    replace: `if (authentication['retried'] === undefined) return this.#send(request, { ...authentication, retried: '1' });
      const sent = error instanceof TransportError ? error.sent : true;`,
    hazard: 'A27, A40',
  },
  {
    name: 'an order without an id is an order too',
    in: 'placeBody',
    find: `trade_currency: terms.currency,
    client_order_id: optionalId(clientOrderId)`,
    replace: 'trade_currency: terms.currency',
    hazard: 'A22',
  },
  {
    name: 'an exit is a plain order',
    in: 'placeBody',
    find: `reduce_only: terms.reduceOnly,
    trade_currency: terms.currency,
    client_order_id`,
    replace: `reduce_only: false,
    trade_currency: terms.currency,
    client_order_id`,
    hazard: 'E11',
  },
  {
    name: '423 is a rejection for good',
    in: 'REJECTIONS',
    find: "'action not allowed: another user action in progress', 'locked')",
    replace: "'action not allowed: another user action in progress', 'invalid-request')",
    hazard: 'A7, A8',
  },
  {
    name: 'what is not found is not open any more',
    in: 'REJECTIONS',
    find: "row([...CANCEL, ...FIND, ...CHANGE], 404, 'order not found', 'order-not-found'),",
    replace: "row([...CANCEL, ...FIND, ...CHANGE], 404, 'order not found', 'order-not-open'),",
    hazard: 'A16, B3',
  },
  {
    name: 'no paging',
    in: 'TradingClient.#readPositions',
    find: 'return adaptOutcome(outcome, (positions) => positions.map(positionOf));',
    replace: 'return adaptOutcome(outcome, (positions) => positions.slice(0, 1).map(positionOf));',
    hazard: 'G6, G7',
  },
  {
    name: 'null is any list',
    in: 'success',
    find: "return data === undefined ? unreadable('a success without data') : { kind: 'success', data };",
    replace: "return { kind: 'success', data: data ?? null };",
    hazard: 'A39',
  },
];
