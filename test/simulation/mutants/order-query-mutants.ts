import type { Mutant } from './mutant.js';

/** What an answer of the venue proves of an order. */
export const LOOKING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lookup that fails found nothing',
    in: 'OrderStatusResolver.#onLookupReply',
    find: "const notFound = outcome.kind === 'no' && outcome.code === 'order-not-found';",
    replace: "const notFound = outcome.kind !== 'yes';",
    hazard: 'A12, A16',
  },
  {
    name: 'a row of history is not looked for',
    in: 'resultOf',
    find: 'rows.find((report) => report.clientOrderId === order.clientOrderId)',
    replace: 'rows.find((report) => report.clientOrderId === undefined)',
    hazard: 'A18',
  },
  {
    name: 'skip payload comparison',
    in: 'differenceOf',
    find: "if (report.quantity !== terms.quantity) return 'another quantity';",
    replace: '',
    hazard: 'A20',
  },
  {
    name: 'the order of another is adopted with a word only',
    in: 'OrderReports.acceptReport',
    find: 'if (difference !== undefined) {',
    replace: 'if (difference !== undefined && order.attempts > 1) {',
    hazard: 'A20',
  },
  {
    name: 'what is quarantined is not watched',
    in: 'OrderStatusResolver.quarantine',
    find: `this.#parts.journal.note(order, \`quarantined: \${reason}\`);
    this.lookups.verify(order);`,
    replace: 'this.#parts.journal.note(order, `quarantined: ${reason}`);',
    hazard: 'A4',
  },
  {
    name: 'what nobody wants any more is not even quarantined',
    in: 'OrderStatusResolver.#onMissingEverywhere',
    find: "if (givenUp) this.quarantine(order, 'not found, and no longer wanted');",
    replace: `if (givenUp) {
      this.#parts.end(order, 'proved-burned', 'not found');
      return;
    }`,
    hazard: 'A4',
  },
  {
    name: 'a fill is booked at each look',
    in: 'OrderReports.recordFill',
    find: 'order.filledQuantity = report.filledQuantity;',
    replace: '',
    hazard: 'G10',
  },
  {
    name: 'the whole fill counts as new',
    in: 'OrderReports.recordFill',
    find: 'this.#parts.engine.onFilled(order, delta, price);',
    replace: 'this.#parts.engine.onFilled(order, order.filledQuantity, price);',
    hazard: 'G10',
  },
  {
    name: 'one word ends an order',
    in: 'OrderStatusResolver.applyReport',
    find: 'if (fullyFilled || order.terminalReads >= 2) this.#finish(order, report);',
    replace: 'if (fullyFilled || order.terminalReads >= 1) this.#finish(order, report);',
    hazard: 'B4',
  },
  {
    name: 'one absence ends an order',
    in: 'missingFromOpenOrders',
    find: 'openOrdersMisses >= CONFIRMING_READS && at - missingFromListSince >= READ_VISIBILITY_MS;',
    replace: 'openOrdersMisses >= 1 && at >= missingFromListSince;',
    hazard: 'B5, B9',
  },
  {
    name: 'a cancelled remainder never ends',
    in: 'isTerminal',
    find: `const partial = report.status === 'partially-filled';
  const acknowledged = order.cancelState === 'acknowledged';
  if ((partial || acknowledged) && missingFromOpenOrders(order, startedAt)) return true;`,
    replace: `const partial = false;
  const acknowledged = order.cancelState === 'acknowledged';`,
    hazard: 'B5',
  },
  {
    name: 'partly filled means filled',
    in: 'progressOf',
    find: 'const fullyFilled = isAtLeast(report.filledQuantity, report.quantity) && report.quantity > 0;',
    replace: 'const fullyFilled = report.filledQuantity > 0;',
    hazard: 'A31',
  },
  {
    name: 'a taken id is burned as soon as a lookup misses it',
    in: 'BurnedProof.countQuery',
    find: 'const enough = order.conflictQueries >= BURNED_READS && engine.stamp.monotonic >= visibleAt;',
    replace: 'const enough = order.conflictQueries >= 1;',
    hazard: 'A18',
  },
  {
    name: 'a taken id is burned though the lists show it',
    in: 'BurnedProof.countQuery',
    find: 'return enough && engine.isAbsentFromLists(order, visibleAt);',
    replace: 'return enough;',
    hazard: 'A18',
  },
  {
    name: 'a taken id is never burned',
    in: 'BurnedProof.countQuery',
    find: 'return enough && engine.isAbsentFromLists(order, visibleAt);',
    replace:
      'return enough && engine.isAbsentFromLists(order, visibleAt) && order.conflictQueries > 1_000;',
    hazard: 'A17',
  },
  {
    name: 'reads lag behind writes by nothing',
    in: 'READ_VISIBILITY_MS',
    find: 'export const READ_VISIBILITY_MS = 30_000;',
    replace: 'export const READ_VISIBILITY_MS = 0;',
    hazard: 'A18, G12',
  },
  {
    name: 'an open order in the list is not news',
    in: 'OrderProtocol.onListed',
    find: 'if (order.unproved) this.#statusResolver.applyReport(order, report, startedAt);',
    replace: '',
    hazard: 'A18',
  },
];
