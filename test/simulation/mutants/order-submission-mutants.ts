import type { Mutant } from './mutant.js';

/** Attempts, their answers, cancels, and what a restart makes of them. */
export const PLACING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a timeout means failed',
    in: 'OrderSubmitter.onReply',
    find: 'if (outcome.sent || order.unknownSeen) this.onUnknownOutcome(order, outcome.cause);',
    replace: "if (outcome.sent || order.unknownSeen) this.#parts.end(order, 'no', outcome.cause);",
    hazard: 'A2, A9',
  },
  {
    name: 'a timeout means not sent',
    in: 'OrderSubmitter.onReply',
    find: 'if (outcome.sent || order.unknownSeen) this.onUnknownOutcome(order, outcome.cause);',
    replace: 'if (order.unknownSeen) this.onUnknownOutcome(order, outcome.cause);',
    hazard: 'A2, A5',
  },
  {
    name: '409 is failure',
    in: 'OrderSubmitter.#onRefused',
    find: `order.conflictAt ??= engine.stamp.monotonic;
      this.onUnknownOutcome(order, text);`,
    replace: "this.#parts.end(order, 'no', text);",
    hazard: 'A3, A19',
  },
  {
    name: '409 is success',
    in: 'OrderSubmitter.#onRefused',
    find: `order.conflictAt ??= engine.stamp.monotonic;
      this.onUnknownOutcome(order, text);`,
    replace: `order.apply('yes');
      this.#statusResolver.trackUntilEnd(order);`,
    hazard: 'A17',
  },
  {
    name: 'a no after an unknown is a no',
    in: 'OrderSubmitter.#onRefused',
    find: '} else if (order.unknownSeen) {',
    replace: '} else if (order.unknownSeen && temporary) {',
    hazard: 'A5, A6',
  },
  {
    name: 'forget ATTEMPT before send',
    in: 'OrderSubmitter.onPermit',
    find: 'this.#parts.journal.attempt(order);',
    replace: '',
    hazard: 'J7',
  },
  {
    name: 'an attempt is journaled with its answer',
    in: 'OrderSubmitter.onReply',
    find: 'this.#parts.journal.outcome(order, outcome);',
    replace: `this.#parts.journal.attempt(order);
    this.#parts.journal.outcome(order, outcome);`,
    hazard: 'J7',
  },
  {
    name: 'nothing is looked at when the slot is granted',
    in: 'OrderSubmitter.#maySend',
    find: 'order.active ? engine.holdReason(order) : WITHDRAWN;',
    replace: 'order.active ? undefined : WITHDRAWN;',
    hazard: 'J1',
  },
  {
    name: 'what is withdrawn is dropped, whatever left before',
    in: 'OrderSubmitter.withdraw',
    find: `if (!order.unknownSeen) {
      order.active = false;`,
    replace: `if (reason !== '') {
      order.active = false;`,
    hazard: 'A4',
  },
  {
    name: 'an unclear attempt is not remembered',
    in: 'OrderSubmitter.onUnknownOutcome',
    find: `order.unknownSeen = true;
    order.unprovedSince`,
    replace: 'order.unprovedSince',
    hazard: 'A5',
  },
  {
    name: 'an accepted order is not watched',
    in: 'OrderSubmitter.onReply',
    find: `this.#statusResolver.trackUntilEnd(order);
        return;`,
    replace: 'return;',
    hazard: 'A14',
  },
  {
    name: 'after a yes the id of the venue is forgotten',
    in: 'OrderSubmitter.onReply',
    find: 'order.orderId = outcome.value.orderId;',
    replace: '',
    hazard: 'A25',
  },
  {
    name: 'attempts do not wait for the first reconciliation',
    in: 'OrderSubmitter.pauseSubmission',
    find: `pauseSubmission(): void {
    this.#paused ??= new Set();
  }`,
    replace: 'pauseSubmission(): void {}',
    hazard: 'J9',
  },
  {
    name: 'new id on retry',
    in: 'PlaceRequest.clientOrderId',
    find: 'return this.#order.clientOrderId;',
    replace: "return this.#order.clientOrderId + 'b'.repeat(this.#order.attempts);",
    hazard: 'A3, A15',
  },
  {
    name: 'other bytes on retry',
    in: 'PlaceRequest.terms',
    find: 'return this.#order.terms;',
    replace: 'return { ...this.#order.terms, reduceOnly: this.#order.attempts > 1 };',
    hazard: 'A20',
  },
  {
    name: 'ATTEMPT without OUTCOME was never sent',
    in: 'applyRecord',
    find: `order.attempts = record.attempt;
      order.state = 'sent';`,
    replace: `order.attempts = record.attempt;
      order.state = 'waiting';`,
    hazard: 'J7',
  },
  {
    name: 'ATTEMPT without OUTCOME failed',
    in: 'applyRecord',
    find: `order.attempts = record.attempt;
      order.state = 'sent';`,
    replace: `order.attempts = record.attempt;
      order.state = 'rejected';`,
    hazard: 'J7',
  },
  {
    name: 'a second attempt makes the first one forgotten',
    in: 'applyRecord',
    find: "if (order.state === 'sent') order.unknownSeen = true;",
    replace: '',
    hazard: 'A5, J8',
  },
  {
    name: 'a restart forgets that an attempt was unclear',
    in: 'applyOutcome',
    find: `else {
      order.unknownSeen = true;
      order.state = 'verifying';`,
    replace: `else {
      order.state = 'verifying';`,
    hazard: 'A5, J7',
  },
  {
    name: 'a restart believes the no after an unknown',
    in: 'applyOutcome',
    find: `} else if (order.unknownSeen) {
    order.state = 'verifying';`,
    replace: `} else if (order.unknownSeen) {
    order.state = isTemporaryRefusal(record.code) ? 'verifying' : 'rejected';`,
    hazard: 'A5, J7',
  },
  {
    name: 'a restart takes a 409 for a rejection',
    in: 'applyOutcome',
    find: `order.conflictSeen = true;
    order.unknownSeen = true;
    order.state = 'verifying';`,
    replace: "order.state = 'rejected';",
    hazard: 'A19, J7',
  },
  {
    name: 'a restart takes proof that one attempt did not leave for proof about all',
    in: 'applyOutcome',
    find: `if (record.sent === false && !order.unknownSeen) order.state = 'waiting';
    else {`,
    replace: `if (record.sent === false) {
      order.unknownSeen = false;
      order.state = 'waiting';
    } else {`,
    hazard: 'J7',
  },
  {
    name: 'a restart forgets fills',
    in: 'applyUpdate',
    find: `order.filledQuantity = record.filledQuantity;
  order.averagePrice = record.averagePrice ?? order.averagePrice;`,
    replace: '',
    hazard: 'G10',
  },
  {
    name: 'a restart takes an accepted order up as unsent',
    in: 'applyOutcome',
    find: `order.state = 'accepted';
    order.orderId = record.orderId;
    order.positionId`,
    replace: `order.state = 'waiting';
    order.orderId = record.orderId;
    order.positionId`,

    hazard: 'J7',
  },
  {
    name: 'orders of an earlier life are not looked at',
    in: 'OrderProtocol.resume',
    find: "this.#submitter.onUnknownOutcome(order, 'no answer was journaled');",
    replace: 'return;',
    hazard: 'J7',
  },
  {
    name: 'a cancel that may not have left is not asked for again',
    in: 'OrderProtocol.resume',
    find: "if (order.state === 'accepted') this.#canceler.onAccepted(order);",
    replace: '',
    hazard: 'A4, J7',
  },
  {
    name: 'a late landing is left to rest',
    in: 'OrderCanceler.onAccepted',
    find: 'if (order.active) return;',
    replace: 'return;',
    hazard: 'A4, B3',
  },
  {
    name: 'cancel 404 ends the intent',
    in: 'OrderCanceler.#onReply',
    find: "} else if (order.state === 'accepted') {",
    replace: `} else if (outcome.kind === 'no' && outcome.code === 'order-not-found' && order.state === 'verifying')
      this.#parts.end(order, 'proved-burned', outcome.text);
    else if (order.state === 'accepted') {`,
    hazard: 'B3',
  },
  {
    name: 'a lost cancel is not repeated',
    in: 'OrderCanceler.#onReply',
    find: 'this.#repeat(order, delayMs, tries + 1, mayHaveEnded ? MAX_CANCEL_DELAYS : 0);',
    replace: '',
    hazard: 'B1',
  },
];
