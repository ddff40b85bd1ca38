/**
 * Controls in the order of their numbers (docs/risk.md). `mode` is the trading mode, which follows from
 * the others.
 */
export const CONTROL_IDS = [
  'R01',
  'R02',
  'R03',
  'R04',
  'R05',
  'R06',
  'R07',
  'R08',
  'R09',
  'R10',
  'R11',
  'R12',
  'R13',
  'R14',
  'R15',
  'R16',
  'R17',
  'R18',
  'R19',
  'R20',
  'R21',
  'R22',
  'R23',
  'R24',
  'R25',
  'R26',
  'R27',
  'R28',
  'R29',
  'R30',
  'R31',
  'R32',
  'R33',
  'R34',
  'R35',
  'R36',
  'R37',
  'R38',
  'R39',
  'R40',
  'R41',
  'R42',
  'R43',
  'R44',
  'R45',
  'R46',
  'mode',
] as const;

export type ControlId = (typeof CONTROL_IDS)[number];

/** Command id of a flatten that a control starts: `R19:2025-05-05`. A person's ids have no such prefix. */
export const controlCommandId = (control: ControlId, name: string): string => `${control}:${name}`;
const CONTROL_COMMAND = /^R\d\d:/;
export const isControlCommandId = (commandId: string): boolean => CONTROL_COMMAND.test(commandId);

/**
 * Effect of a breach. `reject`: this order only. `self-clearing`: entries stop until two clean
 * reconciliations and 60 s have passed. `latching`: entries stop until a person resumes.
 */
export type ControlClass = 'reject' | 'self-clearing' | 'latching';
