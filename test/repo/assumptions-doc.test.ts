import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { ASSUMPTIONS } from '../../src/exchange/assumptions.js';
import { QUIRKS, type Quirk } from '../../src/sandbox/behavior/quirks.js';
import { WIRE_ASSUMPTIONS } from '../../src/sandbox/behavior/wire-assumptions.js';

const FILE = new URL('../../docs/assumptions.md', import.meta.url);

interface Entry {
  readonly id: string;
  readonly field: string;
  readonly default: unknown;
  readonly other: unknown;
  readonly reason: string;
}

const assumptionRow = ({ id, field, default: answer, other, reason }: Entry): string =>
  `| \`${id}\` | \`${field}\` | \`${String(answer)}\` | \`${String(other)}\` | ${reason} |`;

function quirkRow(quirk: Quirk): string {
  const settings = Object.entries({ ...quirk.switches, ...quirk.assumptions }).map(
    ([field, answer]) => `\`${field}: ${String(answer)}\``,
  );
  const faults = (quirk.faults ?? []).map(({ fault }) => `fault \`${String(fault)}\``);
  const sets = [...settings, ...faults].join(', ');
  const inField = quirk.inField ? 'yes' : '';
  return `| \`${quirk.name}\` | ${inField} | ${quirk.does} | ${sets} | ${quirk.source} |`;
}

const ANSWERS = '| id | field | default | other | reason |\n| --- | --- | --- | --- | --- |';

const TEXT = `# Assumptions and quirks

This page is generated from the code: \`UPDATE_DOCS=1 npx vitest run test/repo/assumptions-doc.test.ts\`.

Where the interface is silent, the exchange and the sandbox make an assumption. Each has an id, a default and another answer:

\`\`\`sh
npx sluice sandbox --assume exchange-stop-trigger=mark --assume wire-list-cap=100
npx sluice sandbox --profile venue-profile.json
\`\`\`

A venue profile is a JSON file with the findings about a venue: \`version\` (1), \`venue\`, \`probed_at\`, \`assumptions\` (id to
answer), \`quirks\` (names) and \`notes\`. Where they disagree, quirks override the profile and \`--assume\` overrides both.
\`GET /sandbox/switches\` shows the answers of a running sandbox. In code they are \`createExchange(options, { field: answer })\` and
\`createSandbox({ assumptions, switches })\`.

## The exchange

${ANSWERS}
${ASSUMPTIONS.map(assumptionRow).join('\n')}

## The served interface

${ANSWERS}
${WIRE_ASSUMPTIONS.map(assumptionRow).join('\n')}

## Quirks

Behaviour that was observed, or that a client expects, and that the document contradicts or omits. All are off unless named:
\`--quirks NAME,NAME\`, or \`--quirks field\` for those with a capture. \`embedded: { quirks: field }\` does the same in a bot's configuration.

| name | field | what happens | sets | source |
| --- | --- | --- | --- | --- |
${QUIRKS.map(quirkRow).join('\n')}

Q numbers are those of the list in which the quirks were collected. Behaviour that is not in the table above is always on, because the
interface documents it or an assumption above decides it:

| | always on |
| --- | --- |
| Q2–Q8 | actual_amount of the ordered value after a partial cancel, system-cancelled stops missing in history, \`null\` for no positions, empty strings on some cancels, \`true\` for a partial close, JSON numbers in orders, histories, reports and the spot wallet |
| Q9–Q16 | strings elsewhere, 20 rows by default, position history by opening time, two meanings of \`offset\`, funding rows without an id, zero INR funds for the wrong parameter, \`{msg}\` of a USDT transfer, "insufficient balance" for INR on the USDT path |
| Q17–Q25 | no leverage until it is set, per currency; v1 changes it; v2 without unsettled PnL; stops not checked against liquidation on placing; flags ignored on reduce-only; 404 for two ids of two orders; an empty id is none; ids differ by letter case; 409 for ever, with any body |
| Q27, Q30–Q37 | a lock for both currencies of an asset, no amend of the price alone, \`is_symbol\` by presence, the kline rules, the stream rules, three windows a tier with v2 in the default tier, stops system-cancelled by a reverse that keeps the position's id, a cancelled entry's position never listed, the delisting text |
| Q38 | requests that land late: the fault \`req_delay\` |
| Q40, Q43, Q46 | the open quantity in a reverse answer, SUBSCRIBE as a whole or not at all, the closing side as order_type of a stop |
`;

it('docs/assumptions.md lists the assumptions and quirks of the code', async () => {
  const options = await resolveConfig(FILE.pathname);
  const text = await format(TEXT, { ...options, parser: 'markdown' });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});
