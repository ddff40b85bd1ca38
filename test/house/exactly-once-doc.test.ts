import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { format, resolveConfig } from 'prettier';
import {
  isEnd,
  nextState,
  type OrderMove,
  type OrderState,
} from '../../src/execution/order/order-state.js';

const PATH = 'docs/exactly-once.md';

/** Every state and move once: a new one does not compile until it is listed. */
const STATES: Readonly<Record<OrderState, true>> = {
  waiting: true,
  sent: true,
  retrying: true,
  verifying: true,
  quarantined: true,
  accepted: true,
  filled: true,
  canceled: true,
  rejected: true,
  dropped: true,
  burned: true,
};
/** In words that a trader can read. */
const MOVES: Readonly<Record<OrderMove, string>> = {
  attempt: 'a slot, and still valid and allowed',
  yes: 'yes',
  no: 'no',
  'no-for-now': 'no, for the moment (423, 429, not sent)',
  unknown: 'unknown, or 409, or a no after an unknown',
  found: 'found at the venue',
  'not-found-wanted': 'not found anywhere, still wanted',
  'not-found-unwanted': 'not found anywhere, no longer wanted',
  'proved-burned': 'proved that the id can never become an order',
  'report-filled': 'the venue reports it filled',
  'report-canceled': 'the venue reports it over, twice',
  resolved: 'a person says that it never landed',
  drop: 'too late, stopped, or refused by the gate',
};

function table(): string {
  const states = Object.keys(STATES) as readonly OrderState[];
  const moves = Object.keys(MOVES) as readonly OrderMove[];
  const rows = states.flatMap((state) =>
    moves.flatMap((move) => {
      const next = nextState(state, move);
      if (next === undefined) return [];
      return `| ${state} | ${MOVES[move]} | ${isEnd(next) ? `**${next}**` : next} |`;
    }),
  );
  return ['| stands | meets | becomes |', '| --- | --- | --- |', ...rows].join('\n');
}

it('docs/exactly-once.md has the table of the protocol as it is', async () => {
  const text = readFileSync(PATH, 'utf8');
  const written = text.replace(
    /(<!-- states: place -->\n)[^]*?(<!-- end -->)/u,
    (_, head: string, tail: string) => `${head}\n${table()}\n\n${tail}`,
  );
  const expected = await format(written, {
    ...(await resolveConfig(PATH)),
    parser: 'markdown',
  });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PATH, expected);
  expect(text.includes('<!-- states: place -->')).toBe(true);
  expect(readFileSync(PATH, 'utf8')).toBe(expected);
});
