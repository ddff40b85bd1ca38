import type { Mutant } from './mutant.js';

/** That each instruction is carried out: exits, withdrawals, fences, and the age of entries. */
export const INSTRUCTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'an exit is given up when it is old',
    in: 'OrderFactory.validUntil',
    find: 'if (reduceOnly) return NO_EXPIRY;',
    replace: '',
    hazard: 'A8',
    scenario: 'src/strategy/target/target-tracker.test.ts',
  },
  {
    name: 'what was to be taken off is forgotten by a restart',
    in: 'TargetTracker.restore',
    find: 'this.#resumeReduction(desired, position);',
    replace: '',
    hazard: 'J7',
  },
  {
    name: 'a restart forgets what was withdrawn',
    in: 'applyRecord',
    find: `case 'instruction':
      order.wanted = false;`,
    replace: "case 'instruction':",
    hazard: 'J7',
  },
  {
    name: 'what is withdrawn while its journal is written leaves all the same',
    in: 'Outbox.#holdReason',
    find: "if (request.kind === 'place' && request.withdrawn === true) return WITHDRAWN;",
    replace: '',
    hazard: 'J1',
  },
  {
    name: 'an order that never landed stays unknown',
    in: 'OrderStatusResolver.#watchMissing',
    find: 'this.#handlers.onNotFound(order);',
    replace: '',
    hazard: 'A4',
  },
  {
    name: 'a fence leaves before its terms are durable',
    in: 'IdFence.#recordSent',
    find: 'this.#parts.journal.fence(order, terms);',
    replace: '',
    hazard: 'A20',
  },
  {
    name: 'a fence that is found is the order of somebody else',
    in: 'OrderReports.acceptReport',
    find: 'if (isOfFence(order, report)) {',
    replace: 'if (isOfFence(order, report) && order.ended) {',
    hazard: 'A20',
  },
  {
    name: 'a fence stays at the venue',
    in: 'OwnOrder.landAsFence',
    find: `this.isFence = true;
    this.active = false;`,
    replace: `this.isFence = true;
    this.active = true;`,
    hazard: 'B1',
  },
  {
    name: 'an entry of an earlier life is sent',
    in: 'OrderChecks.staleReason',
    find: "if (recovered) return 'R27: it was decided before the restart (max_entry_age_ms)';",
    replace: '',
    hazard: 'J1',
  },
  {
    name: 'an entry has no age',
    in: 'OrderChecks.staleReason',
    find: 'if (ageMs <= limitMs) return undefined;',
    replace: 'if (ageMs <= limitMs || ageMs > 0) return undefined;',
    hazard: 'J1',
  },
];
