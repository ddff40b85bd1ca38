import type { Mutant } from './mutant.js';

const LANE = 'src/strategy/lane.ts';
const DESK = 'src/strategy/order-desk.ts';
const FENCE = 'src/execution/order/id-fence.ts';
const REPORTS = 'src/execution/order/order-reports.ts';
const RECOVERY = 'src/execution/recovery/recovery.ts';
const INTAKE = 'src/engine/order-intake.ts';

/** That each instruction is carried out: exits, withdrawals, fences, and the age of entries. */
export const INSTRUCTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'an exit is given up when it is old',
    file: DESK,
    from: '    if (reduceOnly) return NO_EXPIRY;\n',
    to: '',
    hazard: 'A8',
  },
  {
    name: 'what was to be taken off is forgotten by a restart',
    file: LANE,
    from: '      this.#takeUpReduction(desired, position);\n',
    to: '',
    hazard: 'J7',
  },
  {
    name: 'a restart forgets what was withdrawn',
    file: RECOVERY,
    from: "    case 'instruction':\n      trace.wanted = false;\n",
    to: "    case 'instruction':\n",
    hazard: 'J7',
  },
  {
    name: 'what is withdrawn while its journal is written leaves all the same',
    file: 'src/engine/outbox.ts',
    from: "    if (request.kind === 'place' && request.withdrawn === true) return WITHDRAWN;\n",
    to: '',
    hazard: 'J1',
  },
  {
    name: 'an order that never landed stays unknown',
    file: 'src/execution/order/looking.ts',
    from: '    this.#news.absent(order);\n',
    to: '',
    hazard: 'A4',
  },
  {
    name: 'a fence leaves before its terms are durable',
    file: FENCE,
    from: '    this.#parts.journal.fence(order, terms);\n',
    to: '',
    hazard: 'A20',
  },
  {
    name: 'a fence that is found is the order of somebody else',
    file: REPORTS,
    from: '    if (isOfFence(order, report)) {',
    to: '    if (isOfFence(order, report) && order.ended) {',
    hazard: 'A20',
  },
  {
    name: 'a fence stays at the venue',
    file: 'src/execution/order/own-order.ts',
    from: '    this.isFence = true;\n    this.wanted = false;\n',
    to: '    this.isFence = true;\n    this.wanted = true;\n',
    hazard: 'B1',
  },
  {
    name: 'an entry of an earlier life is sent',
    file: INTAKE,
    from: "    if (resumed) return 'R27: it was decided before the restart (max_entry_age_ms)';\n",
    to: '',
    hazard: 'J1',
  },
  {
    name: 'an entry has no age',
    file: INTAKE,
    from: '    if (ageMs <= limitMs) return undefined;\n',
    to: '    if (ageMs <= limitMs || ageMs > 0) return undefined;\n',
    hazard: 'J1',
  },
];
