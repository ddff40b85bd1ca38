import { loadConfig } from '../../../config/config.js';
import type { SluiceConfig } from '../../../config/config.js';
import { fixedFromText } from '../../../core/fixed/fixed.js';
import type { OrderTerms } from '../../../core/order.js';
import { EXIT } from '../../../core/exit-code.js';
import type { Column } from '../../../report/rows-table.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import { orderTermsText } from '../order/own-order-row.js';
import { commandFacts, readStateFacts } from '../../../live/order-check/gate-facts.js';
import { judgingConfig } from '../../../live/order-check/limits-in-force.js';
import { readOrderInputs } from './read-order-inputs.js';
import { intentFor, verdictOf, type ControlRow } from '../../../live/order-check/order-verdict.js';
import type { RiskOptions, WhatIfTerms } from './risk-options.js';

type WhatIfOptions = Extract<RiskOptions, { readonly what: 'what-if' }>;

/** Judges one order without sending it. @returns 4 where it is refused */
export async function whatIf(options: WhatIfOptions, io: Io): Promise<number> {
  const judging = await judgingConfig(await loadConfig(options.config, io.files), io.files);
  const { config, tightened } = judging;
  const terms = termsOf(options.terms, config);
  const inputs = await readOrderInputs(config, [terms.symbol], options, io);
  const state = await readStateFacts(config, io.files);
  const facts = commandFacts(config, inputs, state, io.clock.utcMs());
  const verdict = verdictOf(intentFor(terms, config, facts), facts, config);
  const exitCode = verdict.allowed ? EXIT.done : EXIT.refused;
  const { preset } = config.riskSettings;
  const notes = [...inputs.notes, ...judging.notes];
  if (options.json) {
    printJson(io, { order: orderTermsText(terms), preset, tightened, ...verdict, notes });
    return exitCode;
  }
  for (const note of notes) io.stdout(`${note}\n`);
  await printRows(io, verdict.controls.map(textRow), { columns: COLUMNS, none: '', isDense: true });
  for (const { control, verdict: own, reason } of refusalsIn(verdict.controls))
    io.stdout(`${control} ${own}: ${reason}\n`);
  const result = verdict.allowed ? 'allowed' : 'refused';
  io.stdout(`${result}: ${orderTermsText(terms)}; ${verdict.text}\n`);
  return exitCode;
}

/** One reason for each refusing control. */
const refusalsIn = (rows: readonly ControlRow[]): readonly ControlRow[] =>
  rows.filter(
    ({ control, reason }, index) =>
      reason !== null && rows.findIndex((row) => row.control === control) === index,
  );

const COLUMNS: readonly Column[] = [
  { key: 'control' },
  { key: 'name' },
  { key: 'value', alignRight: true },
  { key: 'limit', alignRight: true },
  { key: 'margin', alignRight: true },
  { key: 'unit' },
  { key: 'verdict' },
];

const textRow = (row: ControlRow) => ({ ...row, name: row.key.includes('(') ? row.key : row.name });

const termsOf = (given: WhatIfTerms, { venue }: SluiceConfig): OrderTerms => ({
  symbol: given.symbol,
  currency: venue.tradeCurrency,
  side: given.side,
  type: given.price === undefined ? 'market' : 'limit',
  quantity: fixedFromText(given.quantity),
  ...(given.price !== undefined && { price: fixedFromText<'price'>(given.price) }),
  reduceOnly: given.reduceOnly,
  ...(given.stopLoss !== undefined && { stopLoss: fixedFromText<'price'>(given.stopLoss) }),
  ...(given.takeProfit !== undefined && { takeProfit: fixedFromText<'price'>(given.takeProfit) }),
});
