import type { Mutant } from './mutant.js';

const OUTCOME = 'src/venue/futures-api/outcome.ts';
const ENVELOPE = 'src/venue/futures-api/envelope.ts';
const CALLER = 'src/venue/futures-api/caller.ts';
const TRADING = 'src/venue/futures-api/trading.ts';
const TEXTS = 'src/venue/futures-api/rejection-texts.ts';
const ENCODE = 'src/venue/futures-api/encode.ts';

/** How an answer of the venue is read, and what is sent to it. */
export const WIRE_MUTANTS: readonly Mutant[] = [
  {
    name: '500 is a rejection',
    file: OUTCOME,
    from: 'if (!believes(operation, status)) return undefined;',
    to: "if (status >= 500) return { kind: 'no', code: 'params-error', text: 'other', status };",
    hazard: 'A9',
  },
  {
    name: 'a rejection that is not in the table is one of the balance',
    file: OUTCOME,
    from: 'if (code === undefined || codes.includes(undefined)) return undefined;',
    to: "if (code === undefined || codes.includes(undefined)) return { kind: 'no', code: 'insufficient-balance', text: 'other', status };",
    hazard: 'A9, A39',
  },
  {
    name: '404 without envelope counts as not found',
    file: OUTCOME,
    from: "if (envelope.kind === 'unreadable') return unknown(envelope.cause);",
    to: "if (envelope.kind === 'unreadable') return status === 404 ? { kind: 'no', code: 'order-not-found', text: envelope.cause, status } : unknown(envelope.cause);",
    hazard: 'A12',
  },
  {
    name: 'a page of a proxy is a rejection',
    file: OUTCOME,
    from: "if (envelope.kind === 'unreadable') return unknown(envelope.cause);",
    to: "if (envelope.kind === 'unreadable') return { kind: 'no', code: 'invalid-request', text: envelope.cause, status };",
    hazard: 'A11, A13',
  },
  {
    name: 'a yes that cannot be read is a no',
    file: OUTCOME,
    from: 'if (!value.success) return unknown(`the data does not read: ${issueOf(value.error)}`);',
    to: "if (!value.success) return { kind: 'no', code: 'invalid-request', text: issueOf(value.error), status };",
    hazard: 'A13',
  },
  {
    name: 'what the network swallowed was never sent',
    file: CALLER,
    from: 'const sent = error instanceof TransportError ? error.sent : true;',
    to: 'const sent = error instanceof TransportError ? false : true;',
    hazard: 'A2, A28',
  },
  {
    name: 'a lost request is sent once more below the protocol',
    file: CALLER,
    from: '      const sent = error instanceof TransportError ? error.sent : true;\n',
    to: "      if (authentication['retried'] === undefined) return this.#send(call, { ...authentication, retried: '1' });\n      const sent = error instanceof TransportError ? error.sent : true;\n",
    hazard: 'A27, A40',
  },
  {
    name: 'an order without an id is an order too',
    file: ENCODE,
    from: '    client_order_id: optionalId(clientOrderId),\n  });\n}\n\n/**\n * The body of a v1',
    to: '  });\n}\n\n/**\n * The body of a v1',
    hazard: 'A22',
  },
  {
    name: 'an exit is a plain order',
    file: ENCODE,
    from: '    reduce_only: terms.reduceOnly,\n    trade_currency: terms.currency,\n    client_order_id',
    to: '    reduce_only: false,\n    trade_currency: terms.currency,\n    client_order_id',
    hazard: 'E11',
  },
  {
    name: '423 is a rejection for good',
    file: TEXTS,
    from: "'action not allowed: another user action in progress', 'locked')",
    to: "'action not allowed: another user action in progress', 'invalid-request')",
    hazard: 'A7, A8',
  },
  {
    name: 'what is not found is not open any more',
    file: TEXTS,
    from: "row([...CANCEL, ...FIND, ...CHANGE], 404, 'order not found', 'order-not-found'),",
    to: "row([...CANCEL, ...FIND, ...CHANGE], 404, 'order not found', 'order-not-open'),",
    hazard: 'A16, B3',
  },
  {
    name: 'no paging',
    file: TRADING,
    from: 'return told(outcome, (positions) => positions.map(positionOf));',
    to: 'return told(outcome, (positions) => positions.slice(0, 1).map(positionOf));',
    hazard: 'G6, G7',
  },
  {
    name: 'null is any list',
    file: ENVELOPE,
    from: "return data === undefined ? unreadable('a success without data') : { kind: 'success', data };",
    to: "return { kind: 'success', data: data ?? null };",
    hazard: 'A39',
  },
];
