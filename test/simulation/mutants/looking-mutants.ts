import type { Mutant } from './mutant.js';

const LOOKING = 'src/execution/order/looking.ts';
const REPORTS = 'src/execution/order/order-reports.ts';
const OVER = 'src/execution/order/order-over.ts';
const PROOF = 'src/execution/order/burned-proof.ts';

/** What an answer of the venue proves of an order. */
export const LOOKING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lookup that fails found nothing',
    file: LOOKING,
    from: "const notFound = outcome.kind === 'no' && outcome.code === 'order-not-found';",
    to: "const notFound = outcome.kind !== 'yes';",
    hazard: 'A12, A16',
  },
  {
    name: 'a row of history is not looked for',
    file: LOOKING,
    from: 'told.find((report) => report.clientOrderId === order.clientOrderId)',
    to: 'told.find((report) => report.clientOrderId === undefined)',
    hazard: 'A18',
  },
  {
    name: 'skip payload comparison',
    file: 'src/execution/order/order-comparison.ts',
    from: "  if (report.quantity !== terms.quantity) return 'another quantity';\n",
    to: '',
    hazard: 'A20',
  },
  {
    name: 'the order of another is adopted with a word only',
    file: REPORTS,
    from: '    if (difference !== undefined) {\n',
    to: '    if (difference !== undefined && order.attempts > 1) {\n',
    hazard: 'A20',
  },
  {
    name: 'what is quarantined is not watched',
    file: LOOKING,
    from: '    this.#parts.journal.note(order, `quarantined: ${reason}`);\n    this.look(order, spaced(VERIFY_SPACING_MS, order.looks));\n',
    to: '    this.#parts.journal.note(order, `quarantined: ${reason}`);\n',
    hazard: 'A4',
  },
  {
    name: 'what nobody wants any more is not even quarantined',
    file: LOOKING,
    from: "    if (givenUp) this.quarantine(order, 'not found, and no longer wanted');",
    to: "    if (givenUp) {\n      this.#parts.end(order, 'proved-burned', 'not found');\n      return;\n    }",
    hazard: 'A4',
  },
  {
    name: 'a fill is booked at each look',
    file: REPORTS,
    from: '    order.filledQuantity = report.filledQuantity;\n',
    to: '',
    hazard: 'G10',
  },
  {
    name: 'the whole fill counts as new',
    file: REPORTS,
    from: '    this.#parts.world.filled(order, delta, price);',
    to: '    this.#parts.world.filled(order, order.filledQuantity, price);',
    hazard: 'G10',
  },
  {
    name: 'one word ends an order',
    file: LOOKING,
    from: 'if (full || order.endReads >= 2) this.#finish(order, report);',
    to: 'if (full || order.endReads >= 1) this.#finish(order, report);',
    hazard: 'B4',
  },
  {
    name: 'one absence ends an order',
    file: OVER,
    from: '  unlistedReads >= CONFIRMING_READS && at - unlistedSince >= READ_VISIBILITY_MS;',
    to: '  unlistedReads >= 1 && at >= unlistedSince;',
    hazard: 'B5, B9',
  },
  {
    name: 'a cancelled remainder never ends',
    file: OVER,
    from: "  const partial = report.status === 'partially-filled';\n  const acknowledged = order.cancelState === 'acknowledged';\n  if ((partial || acknowledged) && isOffTheList(order, startedAt)) return true;\n",
    to: "  const partial = false;\n  const acknowledged = order.cancelState === 'acknowledged';\n",
    hazard: 'B5',
  },
  {
    name: 'partly filled means filled',
    file: 'src/execution/order/order-state.ts',
    from: 'const full = isAtLeast(report.filledQuantity, report.quantity) && report.quantity > 0;',
    to: 'const full = report.filledQuantity > 0;',
    hazard: 'A31',
  },
  {
    name: 'a taken id is burned as soon as a lookup misses it',
    file: PROOF,
    from: 'const enough = order.conflictLooks >= BURNED_READS && world.stamp.monotonic >= visibleAt;',
    to: 'const enough = order.conflictLooks >= 1;',
    hazard: 'A18',
  },
  {
    name: 'a taken id is burned though the lists show it',
    file: PROOF,
    from: 'return enough && world.absent(order, visibleAt);',
    to: 'return enough;',
    hazard: 'A18',
  },
  {
    name: 'a taken id is never burned',
    file: PROOF,
    from: 'return enough && world.absent(order, visibleAt);',
    to: 'return enough && world.absent(order, visibleAt) && order.conflictLooks > 1_000;',
    hazard: 'A17',
  },
  {
    name: 'reads lag behind writes by nothing',
    file: 'src/execution/constants.ts',
    from: 'export const READ_VISIBILITY_MS = 30_000;',
    to: 'export const READ_VISIBILITY_MS = 0;',
    hazard: 'A18, G12',
  },
  {
    name: 'an open order in the list is not news',
    file: 'src/execution/order/order-protocol.ts',
    from: 'if (order.unproved) this.#looking.report(order, report, startedAt);',
    to: '',
    hazard: 'A18',
  },
];
