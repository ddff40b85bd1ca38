import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import type { StrategyConfig } from '../../../config/config-strategy.js';
import {
  fixedFromNumber,
  isGreater,
  multiply,
  numberFromFixed,
  textFromFixed,
  ZERO,
  type Price,
  type Quantity,
} from '../../../core/fixed/fixed.js';
import { quantize, type Instrument } from '../../../core/instrument.js';
import type { OrderTerms, Side } from '../../../core/order.js';
import { EXIT } from '../../../core/exit-code.js';
import { equityUsdt } from '../../../risk/evidence.js';
import type { GateFacts } from '../../../risk/facts.js';
import { headroomOf } from '../../../risk/headroom.js';
import { enforcesLimits } from '../../../risk/preset.js';
import type { Column } from '../../../report/rows-table.js';
import { marketableLimit } from '../../../strategy/contract/entry-style.js';
import { protectionFor, stopDistanceOf } from '../../../strategy/contract/protection.js';
import { limitPolicyOf, sizeOf } from '../../../strategy/target/size/sizing.js';
import type { Io } from '../../command-io.js';
import { printJson, printRows } from '../account/print.js';
import { commandFacts, readStateFacts } from '../../../live/order-check/gate-facts.js';
import { judgingConfig } from '../../../live/order-check/limits-in-force.js';
import { readOrderInputs } from './read-order-inputs.js';
import { intentFor, verdictOf, type ControlRow } from '../../../live/order-check/order-verdict.js';
import type { RiskOptions } from './risk-options.js';

type TestOptions = Extract<RiskOptions, { readonly what: 'test' }>;

/** One entry that a strategy could request now. */
interface EntryRow {
  readonly strategy: string;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: string | null;
  readonly notional_usdt: string | null;
  readonly allowed: boolean;
  /** The gate's own words, or the reason why there is no order. */
  readonly text: string;
  readonly controls: readonly ControlRow[];
}

/** Judges the entries of every strategy at its size. @returns 4 where one is refused or cannot be sized */
export async function testEntries(options: TestOptions, io: Io): Promise<number> {
  const judging = await judgingConfig(await loadConfig(options.config, io.files), io.files);
  const { config, tightened } = judging;
  const symbols = [...new Set(config.strategies.flatMap((strategy) => strategy.symbols))];
  const inputs = await readOrderInputs(config, symbols, options, io);
  const state = await readStateFacts(config, io.files);
  const facts = commandFacts(config, inputs, state, io.clock.utcMs());
  const rows = config.strategies.flatMap((strategy) =>
    strategy.symbols.flatMap((symbol) =>
      (['buy', 'sell'] as const).map((side) => entryRow({ strategy, symbol, side }, facts, config)),
    ),
  );
  const allowed = rows.every((row) => row.allowed);
  const notes = [...inputs.notes, ...judging.notes];
  const exitCode = allowed ? EXIT.done : EXIT.refused;
  if (options.json) {
    const { preset } = config.riskSettings;
    printJson(io, { config: config.path, preset, tightened, allowed, entries: rows, notes });
    return exitCode;
  }
  for (const note of notes) io.stdout(`${note}\n`);
  await printRows(io, rows.map(textRow), { columns: COLUMNS, none: 'no strategy' });
  for (const line of refusalLines(rows)) io.stdout(`${line}\n`);
  return exitCode;
}

const COLUMNS: readonly Column[] = [
  { key: 'strategy' },
  { key: 'symbol' },
  { key: 'side' },
  { key: 'quantity', alignRight: true },
  { key: 'notional_usdt', head: 'USDT', alignRight: true },
  { key: 'verdict' },
  { key: 'refusing', head: 'refused by' },
];

const textRow = (row: EntryRow) => ({
  ...row,
  verdict: row.allowed ? 'allowed' : 'refused',
  refusing: [...new Set(row.controls.flatMap(refusing))].join(', '),
});

const refusing = ({ control, verdict }: ControlRow): readonly string[] =>
  verdict === 'passes' ? [] : [verdict === 'refuses' ? control : `(${control})`];

/** The reasons of each entry, every refusing control once. */
const refusalLines = (rows: readonly EntryRow[]): readonly string[] =>
  rows.flatMap(({ strategy, symbol, side, text, controls, allowed }) => {
    const at = `${strategy} ${side} ${symbol}`;
    const reasons = controls.flatMap(({ control, verdict, reason }) =>
      reason === null ? [] : [`${at}: ${control} ${verdict}: ${reason}`],
    );
    return reasons.length > 0 || allowed ? [...new Set(reasons)] : [`${at}: ${text}`];
  });

interface Entry {
  readonly strategy: StrategyConfig;
  readonly symbol: string;
  readonly side: Side;
}

function entryRow(entry: Entry, facts: GateFacts, config: SluiceConfig): EntryRow {
  const { strategy, symbol, side } = entry;
  const terms = entryTerms(entry, facts, config);
  const names = { strategy: strategy.id, symbol, side };
  if (typeof terms === 'string')
    return {
      ...names,
      quantity: null,
      notional_usdt: null,
      allowed: false,
      text: terms,
      controls: [],
    };
  const price = facts.lastPrice(symbol);
  return {
    ...names,
    quantity: textFromFixed(terms.quantity),
    notional_usdt: price === undefined ? null : textFromFixed(multiply(terms.quantity, price)),
    ...verdictOf(intentFor(terms, config, facts), facts, config),
  };
}

/** The order of a full conviction from flat, or the reason why there is none. */
function entryTerms(entry: Entry, facts: GateFacts, config: SluiceConfig): OrderTerms | string {
  const { strategy, symbol, side } = entry;
  const { entry: style } = strategy;
  const instrument = facts.instrument(symbol);
  const last = facts.lastPrice(symbol);
  if (instrument === undefined) return `the venue does not list ${symbol}`;
  if (last === undefined) return `the price of ${symbol} is not known: add --price ${symbol}=PRICE`;
  const protection = protectionFor({ side, price: last, instrument }, strategy.protect);
  const quantity = quantityOf({ ...entry, instrument, last }, facts, config);
  if (typeof quantity === 'string') return quantity;
  const price =
    style.kind === 'market'
      ? undefined
      : marketableLimit(side, numberFromFixed(last), style.bps, instrument);
  return {
    symbol,
    currency: config.venue.tradeCurrency,
    side,
    type: style.kind === 'market' ? 'market' : 'limit',
    quantity,
    ...(price !== undefined && { price }),
    reduceOnly: false,
    ...protection,
  };
}

interface SizedEntry extends Entry {
  readonly instrument: Instrument;
  readonly last: Price;
}

function quantityOf(
  { strategy, symbol, side, instrument, last }: SizedEntry,
  facts: GateFacts,
  config: SluiceConfig,
): Quantity | string {
  const { preset, limits } = config.riskSettings;
  const currency = config.venue.tradeCurrency;
  const equity = equityUsdt(currency, facts);
  const protection = protectionFor({ side, price: last, instrument }, strategy.protect);
  const sized = sizeOf(strategy.size, {
    conviction: 1,
    price: numberFromFixed(last),
    equity: () => (equity === undefined ? undefined : numberFromFixed(equity)),
    stopDistance: () => stopDistanceOf(last, protection),
    // Volatility needs candles, which this command does not read.
    volatility: () => undefined,
    instrument,
  });
  if (sized.kind === 'unsized') return `no size: ${sized.reason}`;
  if (limitPolicyOf(strategy.size) === 'refuse' || !enforcesLimits(preset)) return sized.quantity;
  const query = { symbol, currency, side, price: last, held: ZERO as Quantity };
  const headroom = headroomOf(query, facts, limits);
  if (headroom === undefined || !isGreater(sized.quantity, fixedFromNumber(headroom.units)))
    return sized.quantity;
  return quantize(headroom.units, instrument);
}
