import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { format, resolveConfig } from 'prettier';
import {
  isEndState,
  nextState,
  type OrderEvent,
  type OrderState,
} from '../../src/execution/order/order-state.js';

const PATH = 'docs/exactly-once.md';

/** Every state and event once: a new one does not compile until it is listed. */
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
/** Events in a trader's words. */
const EVENT_TEXTS: Readonly<Record<OrderEvent, string>> = {
  attempt: 'a permit, and still valid and allowed',
  yes: 'yes',
  no: 'no',
  'no-for-now': 'no, for the moment (423, 429, not sent)',
  unknown: 'unknown, or 409, or a no after an unknown',
  found: 'found at the venue',
  'not-found-wanted': 'not found anywhere, still active',
  'not-found-unwanted': 'not found anywhere, withdrawn',
  'proved-burned': 'proof that the id can never become an order',
  'report-filled': 'the venue reports it filled',
  'report-canceled': 'the venue reports it ended, twice',
  resolved: 'the operator states that it never landed',
  drop: 'too late, stopped, or refused by the gate',
};

function table(): string {
  const states = Object.keys(STATES) as readonly OrderState[];
  const events = Object.keys(EVENT_TEXTS) as readonly OrderEvent[];
  const rows = states.flatMap((state) =>
    events.flatMap((event) => {
      const next = nextState(state, event);
      if (next === undefined) return [];
      return `| ${state} | ${EVENT_TEXTS[event]} | ${isEndState(next) ? `**${next}**` : next} |`;
    }),
  );
  return ['| state | event | next state |', '| --- | --- | --- |', ...rows].join('\n');
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
