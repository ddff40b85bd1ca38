import type { Mutant } from './mutant.js';

const BEGINNING = 'src/engine/beginning.ts';
const ENGINE = 'src/engine/engine.ts';
const RECONCILIATION = 'src/engine/reconciliation/reconciliation.ts';
const BOOK = 'src/execution/position-book.ts';
const WATCH = 'src/engine/watch/position-watch.ts';
const ORDERS = 'src/engine/reconciliation/reconcile-orders.ts';
const POSITIONS = 'src/engine/reconciliation/reconcile-positions.ts';
const INTAKE = 'src/engine/order-intake.ts';

/** What we believe of the account, and what may leave while that is in doubt. */
export const RECONCILING_MUTANTS: readonly Mutant[] = [
  {
    name: 'skip the first sync',
    file: BEGINNING,
    from: 'if (!leverage.settled || !reconciliation.complete || !this.#pricesAreKnown()) return false;',
    to: 'if (!leverage.settled || !this.#pricesAreKnown()) return false;',
    hazard: 'J9, G4',
  },
  {
    name: 'orders of an earlier life are not waited for',
    file: RECONCILIATION,
    from: "  state === 'sent' || ((state === 'verifying' || state === 'accepted') && lookedAt <= since);",
    to: '  state === undefined && lookedAt > since;',
    hazard: 'J9, G12',
  },
  {
    name: 'the first picture is the truth',
    file: 'src/engine/reconciliation/baseline.ts',
    from: 'if (!goesOn || !facts.lookedSince(before.answeredAt)) return false;',
    to: 'if (before === undefined || before.text === text) return true;',
    hazard: 'G1, G5',
  },
  {
    name: 'fills that the first picture holds count again',
    file: RECONCILIATION,
    from: '    return this.#inherited.tell(order, quantity);',
    to: '    return ZERO as Quantity;',
    hazard: 'G5, G10',
  },
  {
    name: 'a restart expects no positions',
    file: RECONCILIATION,
    from: '    this.#expected = positions.filter(({ currency }) => currency === this.#parts.currency);',
    to: '    this.#expected = positions.slice(0, 0);',
    hazard: 'G1, J7',
  },
  {
    name: 'believe null positions',
    file: BOOK,
    from: '        claim.reads >= CONFIRMING_READS &&\n        startedAt - claim.since >= patienceMs &&',
    to: '        claim.reads >= 1 &&',
    hazard: 'G1',
  },
  {
    name: 'a list is never behind our own fill',
    file: BOOK,
    from: 'startedAt - belief.filledAt >= READ_VISIBILITY_MS,',
    to: 'true,',
    hazard: 'G12',
  },
  {
    name: 'any close row proves any position closed',
    file: BOOK,
    from: "        row.positionId === id &&\n        row.side === side &&\n        row.quantity === quantity &&\n        row.kind !== 'partial',",
    to: '        row.symbol === symbol,',
    hazard: 'P28, G7',
  },
  {
    name: 'the close of one side of a position is that of the other',
    file: BOOK,
    from: '        row.side === side &&\n        row.quantity === quantity &&\n',
    to: '',
    hazard: 'E10, G7',
  },
  {
    name: 'what an order of ours closed is news',
    file: WATCH,
    from: '({ orderId }) => orderId === undefined || !ledger.hasOrderId(orderId),',
    to: '({ orderId }) => orderId === undefined || orderId !== undefined,',
    hazard: 'G5, G7',
  },
  {
    name: 'a first picture never lags behind a fill',
    file: RECONCILIATION,
    from: 'if (accepted && !mayLag) {',
    to: 'if (accepted) {',
    hazard: 'G12, J9',
  },
  {
    name: 'a start counts what was told before its first picture as still to be told',
    file: RECONCILIATION,
    from: 'expected: told, shown, orders',
    to: 'expected, shown, orders',
    hazard: 'G5, G10',
  },
  {
    name: 'what moves a position is believed though an order of ours may have done it',
    file: WATCH,
    from: 'if (confirmed && this.#lookedSince(since + lag, symbol, currency)) {',
    to: 'if (confirmed) {',
    hazard: 'G5',
  },
  {
    name: 'growth without an intent is fine',
    file: WATCH,
    from: '    this.#parts.grown(symbol, text);\n',
    to: '',
    hazard: 'G16',
  },
  {
    name: 'an order of ours that we do not know is none of our business',
    file: ORDERS,
    from: "    return { kind: 'stray', report };",
    to: "    return { kind: 'foreign', report };",
    hazard: 'J13, J14',
  },
  {
    name: 'order history is nobody to ask',
    file: 'src/engine/watch/account-history.ts',
    from: '    if (!effects.journaling) return;\n',
    to: '    if (own !== undefined) return;\n    if (!effects.journaling) return;\n',
    hazard: 'J13, J14, G6',
  },
  {
    name: 'positions of others are ours to close',
    file: BOOK,
    from: 'return belief === undefined ? (ZERO as Quantity) : subtract(belief.quantity, belief.foreign);',
    to: 'return belief === undefined ? (ZERO as Quantity) : belief.quantity;',
    hazard: 'G15',
  },
  {
    name: 'whatever the venue shows was made by us',
    file: POSITIONS,
    from: '  if (isAtLeast(claimed, ours.low) && isAtMost(claimed, ours.high)) return',
    to: '  if (isAtMost(ours.low, ours.high)) return',
    hazard: 'G15, G16',
  },
  {
    name: 'what was approved is not judged again',
    file: INTAKE,
    from: 'const verdict = gate.recheck(order.intent, facts);',
    to: 'const verdict = { ok: true } as ReturnType<typeof gate.recheck>;',
    hazard: 'J1, A8',
  },
  {
    name: 'validity is a matter of the strategy',
    file: INTAKE,
    from: "    if (stamp.venueTime > intent.validUntil) return 'its validity ran out';\n",
    to: '',
    hazard: 'J1',
  },
  {
    name: 'one decision may have two orders',
    file: INTAKE,
    from: 'if (ledger.byClientOrderId(order.clientOrderId) !== undefined) {',
    to: "if (order.clientOrderId === '') {",
    hazard: 'M6',
  },
  {
    name: 'a restart forgets what was decided',
    file: ENGINE,
    from: '      this.#options.gate.remember(each.intent);\n      this.ledger.add(order);\n      this.ledger.index(order);',
    to: '      this.ledger.add(order);',
    hazard: 'M6, J9',
  },
  {
    name: 'legs of one decision share an id',
    file: 'src/core/ids.ts',
    from: '    decisionKey(cause, ordinal),\n    leg,\n',
    to: '    decisionKey(cause, ordinal),\n',
    hazard: 'A24',
  },
  {
    name: 'the age of what we know is nothing',
    file: 'src/risk/evidence.ts',
    from: 'at === undefined ? undefined : now - at;',
    to: 'at === undefined ? undefined : 0;',
    hazard: 'N6, I13',
  },
  {
    name: 'a halted bot trades on',
    file: 'src/risk/mode.ts',
    from: "mode === 'TRADING' || (mode === 'REDUCE_ONLY' && exit);",
    to: "mode === 'TRADING' || mode === 'HALTED' || (mode === 'REDUCE_ONLY' && exit);",
    hazard: 'A12, J13',
  },
];
