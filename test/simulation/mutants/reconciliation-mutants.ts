import type { Mutant } from './mutant.js';

/** What we believe of the account, and what may leave while that is in doubt. */
export const RECONCILING_MUTANTS: readonly Mutant[] = [
  {
    name: 'skip the first sync',
    in: 'StartupGate.#isReady',
    find: 'if (!this.#parts.reconciliation.isComplete) return false;',
    replace: '',
    hazard: 'J9, G4',
  },
  {
    name: 'orders of an earlier life are not waited for',
    in: 'awaitsQuery',
    find: "state === 'sent' || ((state === 'verifying' || state === 'accepted') && lastReadAt <= since);",
    replace: 'state === undefined && lastReadAt > since;',
    hazard: 'J9, G12',
  },
  {
    name: 'the first picture is the truth',
    in: 'InitialPositions.accepts',
    find: 'if (!isRepeat || !facts.readSince(before.answeredAt)) return false;',
    replace: 'if (before === undefined || before.text === text) return true;',
    hazard: 'G1, G5',
  },
  {
    name: 'fills that the first picture holds count again',
    in: 'StartupPositions.alreadyCounted',
    find: 'return this.#fillDedup.consume(order, quantity);',
    replace: 'return ZERO as Quantity;',
    hazard: 'G5, G10',
  },
  {
    name: 'a restart expects no positions',
    in: 'StartupPositions.restore',
    find: 'this.#expected = positions.filter(({ currency }) => currency === this.#parts.currency);',
    replace: 'this.#expected = positions.slice(0, 0);',
    hazard: 'G1, J7',
  },
  {
    name: 'believe null positions',
    in: 'TrackedPosition.recordDiscrepancy',
    find: `latest.reads >= CONFIRMING_READS &&
        startedAt - latest.since >= patienceMs &&`,
    replace: 'latest.reads >= 1 &&',
    hazard: 'G1',
  },
  {
    name: 'a list is never behind our own fill',
    in: 'TrackedPosition.recordDiscrepancy',
    find: 'startedAt - this.filledAt >= READ_VISIBILITY_MS',
    replace: 'true',
    hazard: 'G12',
  },
  {
    name: 'any close row proves any position closed',
    in: 'TrackedPosition.closeOf',
    find: `row.positionId === id &&
        row.side === side &&
        row.quantity === quantity &&
        row.kind !== 'partial'`,
    replace: 'row.symbol === this.symbol',
    hazard: 'P28, G7',
  },
  {
    name: 'the close of one side of a position is that of the other',
    in: 'TrackedPosition.closeOf',
    find: `row.side === side &&
        row.quantity === quantity &&`,
    replace: '',
    hazard: 'E10, G7',
  },
  {
    name: 'what an order of ours closed is news',
    in: 'PositionMonitor.#applyCloses',
    find: '({ orderId }) => orderId === undefined || !ledger.hasOrderId(orderId)',
    replace: '({ orderId }) => orderId === undefined || orderId !== undefined',
    hazard: 'G5, G7',
  },
  {
    name: 'a first picture never lags behind a fill',
    in: 'StartupPositions.#onSnapshot',
    find: 'if (accepted && !mayLag) {',
    replace: 'if (accepted) {',
    hazard: 'G12, J9',
  },
  {
    name: 'a start counts what was told before its first picture as still to be told',
    in: 'StartupPositions.#accept',
    find: 'expected: believed, shown, orders',
    replace: 'expected, shown, orders',
    hazard: 'G5, G10',
  },
  {
    name: 'what moves a position is believed though an order of ours may have done it',
    in: 'PositionMonitor.#onDiscrepancy',
    find: 'if (confirmed && this.#readSince(since + lag, symbol, currency)) {',
    replace: 'if (confirmed) {',
    hazard: 'G5',
  },
  {
    name: 'growth without an intent is fine',
    in: 'PositionMonitor.#reportGrowth',
    find: 'this.#parts.onGrown(symbol, text);',
    replace: '',
    hazard: 'G16',
  },
  {
    name: 'an order of ours that we do not know is none of our business',
    in: 'verdictOf',
    find: "return { kind: 'stray', report };",
    replace: "return { kind: 'foreign', report };",
    hazard: 'J13, J14',
  },
  {
    name: 'order history is nobody to ask',
    in: 'AccountHistoryMonitor.start',
    find: 'if (!effects.journaling) return;',
    replace: `if (own !== undefined) return;
    if (!effects.journaling) return;`,
    hazard: 'J13, J14, G6',
  },
  {
    name: 'positions of others are ours to close',
    in: 'PositionLedger.ownQuantity',
    find: ': subtract(position.quantity, position.external);',
    replace: ': position.quantity;',
    hazard: 'G15',
  },
  {
    name: 'whatever the venue shows was made by us',
    in: 'judgePosition',
    find: 'if (isAtLeast(reported, own.low) && isAtMost(reported, own.high)) return',
    replace: 'if (isAtMost(own.low, own.high)) return',
    hazard: 'G15, G16',
  },
  {
    name: 'what was approved is not judged again',
    in: 'OrderChecks.holdReason',
    find: 'const verdict = gate.recheck(order.intent, facts);',
    replace: 'const verdict = { ok: true } as ReturnType<typeof gate.recheck>;',
    hazard: 'J1, A8',
  },
  {
    name: 'validity is a matter of the strategy',
    in: 'OrderChecks.#engineHoldReason',
    find: "if (stamp.venueTime > intent.validUntil) return 'its validity ran out';",
    replace: '',
    hazard: 'J1',
  },
  {
    name: 'one decision may have two orders',
    in: 'OrderManager.submit',
    find: 'if (ledger.known(order.clientOrderId) !== undefined) {',
    replace: "if (order.clientOrderId === '') {",
    hazard: 'M6',
  },
  {
    name: 'a restart forgets what was decided',
    in: 'restoreEngine',
    find: `gate.remember(each.intent);
    ledger.add(order);
    ledger.indexByClientOrderId(order);`,
    replace: 'ledger.add(order);',
    hazard: 'M6, J9',
  },
  {
    name: 'legs of one decision share an id',
    in: 'clientOrderIdOf',
    find: `decisionKey(cause, ordinal),
    leg`,
    replace: 'decisionKey(cause, ordinal)',
    hazard: 'A24',
  },
  {
    name: 'the age of what we know is nothing',
    in: 'ageAt',
    find: 'at === undefined ? undefined : now - at;',
    replace: 'at === undefined ? undefined : 0;',
    hazard: 'N6, I13',
  },
  {
    name: 'a halted bot trades on',
    in: 'permits',
    find: "mode === 'TRADING' || (exit && mode !== 'STARTING' && mode !== 'RECONCILING');",
    replace:
      "mode === 'TRADING' || mode === 'HALTED' || (exit && mode !== 'STARTING' && mode !== 'RECONCILING');",
    hazard: 'A12, J13',
  },
];
