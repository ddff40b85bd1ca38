import { negate, numberFromFixed, textFromFixed } from '../core/fixed.js';
import type { Engine } from '../engine/engine.js';
import { sparkline } from '../report/sparkline.js';
import { summaryTable } from '../report/summary-table.js';

/** The last line of `sluice run --json` (design part 8). */
export interface RunSummary {
  readonly orders_placed: number;
  readonly orders_filled: number;
  /** Real ms from the venue being there to the first fill that was seen; null without one. */
  readonly first_fill_ms: number | null;
  readonly intents: number;
  readonly refused: number;
  readonly refused_by: Readonly<Record<string, number>>;
  readonly rejected: number;
  readonly dropped: number;
  readonly unknown: number;
  readonly positions: readonly {
    readonly symbol: string;
    readonly currency: string;
    readonly quantity: string;
    readonly entry_price: string | null;
  }[];
  /** What others hold and want on the account, both currencies: counted, never touched. */
  readonly foreign: {
    readonly orders: number;
    readonly positions: readonly {
      readonly symbol: string;
      readonly currency: string;
      readonly quantity: string;
    }[];
  };
  /** Symbols that only a person may let trade again, with why. */
  readonly halted: Readonly<Record<string, string>>;
  readonly equity: string | null;
  readonly reconciled: boolean;
  /** Whether the venue refused the key when it ended, and how often it began to. */
  readonly key_refused: boolean;
  readonly key_refusals: number;
  readonly mode: string;
  readonly state_dir: string;
}

export function summarise(engine: Engine, startedAt: number, stateDir: string): RunSummary {
  const { counts, currency } = engine;
  const equity = engine.facts.equity(currency);
  const first = counts.firstFillAt;
  return {
    orders_placed: counts.ordersPlaced,
    orders_filled: counts.ordersFilled,
    first_fill_ms: first === undefined ? null : Math.round(first - startedAt),
    intents: counts.intents,
    refused: counts.refused,
    refused_by: Object.fromEntries([...counts.refusedBy].map(([key, { count }]) => [key, count])),
    rejected: counts.rejected,
    dropped: counts.dropped,
    unknown: engine.ledger.unproved,
    positions: [...engine.positions.open()].map((position) => {
      const entry = engine.positions.entryPrice(position.symbol, position.currency);
      return {
        symbol: position.symbol,
        currency: position.currency,
        quantity: textFromFixed(position.quantity),
        entry_price: entry === undefined ? null : textFromFixed(entry),
      };
    }),
    foreign: foreignOf(engine),
    halted: Object.fromEntries(engine.halts.all),
    equity: equity === undefined ? null : textFromFixed(equity),
    reconciled: engine.reconciled,
    key_refused: engine.accessRefused,
    key_refusals: counts.keyRefusals,
    mode: engine.mode,
    state_dir: stateDir,
  };
}

/** Shares of positions in our own currency, and whole positions in the other. */
function foreignOf({ positions, foreign }: Engine): RunSummary['foreign'] {
  const shares = [...positions.open()].filter((position) => position.foreign !== 0);
  return {
    orders: foreign.orders.length,
    positions: [
      ...shares.map(({ symbol, currency, foreign: quantity }) => ({ symbol, currency, quantity })),
      ...foreign.positions.map(({ symbol, currency, side, quantity }) => ({
        symbol,
        currency,
        quantity: side === 'long' ? quantity : negate(quantity),
      })),
    ].map((position) => ({ ...position, quantity: textFromFixed(position.quantity) })),
  };
}

const SPARKLINE_WIDTH = 48;

/** The same for a person, with the equity curve and a sentence for what did not happen. */
export function summaryText(
  summary: RunSummary,
  engine: Engine,
  options: { readonly equity: readonly number[]; readonly colour: boolean },
): string {
  const { currency } = engine;
  const table = summaryTable(
    {
      'Orders placed': summary.orders_placed,
      'Orders filled': summary.orders_filled,
      'First fill': summary.first_fill_ms === null ? null : `${summary.first_fill_ms} ms`,
      Intents: summary.intents,
      Refused: summary.refused,
      Rejected: summary.rejected,
      'Never sent': summary.dropped,
      Unknown: summary.unknown,
      Positions: summary.positions.map(positionText).join(', ') || 'none',
      Equity: equityText(summary.equity, currency),
      Reconciled: summary.reconciled,
      State: summary.state_dir,
    },
    { colour: options.colour, title: 'Run' },
  );
  const curve =
    options.equity.length === 0
      ? ''
      : `equity ${sparkline(options.equity, { width: SPARKLINE_WIDTH })}\n`;
  return `${table}\n${curve}${explanations(summary, engine)}`;
}

const positionText = (position: RunSummary['positions'][number]): string =>
  `${position.quantity} ${position.symbol}`;

const equityText = (equity: string | null, currency: string): string | null =>
  equity === null ? null : `${Number(equity).toFixed(2)} ${currency}`;

export const NOT_RECONCILED =
  'the account was not proved equal to our books before the run ended; start again to reconcile';

/** "Nothing happened" explains itself. */
function explanations(summary: RunSummary, engine: Engine): string {
  const lines: string[] = [];
  for (const [control, { count, lastText }] of engine.counts.refusedBy) {
    lines.push(`${count} of ${summary.intents} intents refused by ${control}, last: ${lastText}`);
  }
  if (summary.intents === 0) {
    lines.push('no strategy wanted a trade: no signal came within the run');
  }
  lines.push(...foreignLines(summary));
  if (summary.unknown > 0) {
    lines.push(
      `${summary.unknown} orders have no proved outcome; the next start with this state_dir looks for them first`,
    );
  }
  if (summary.key_refused) {
    lines.push('the venue refused the key when the run ended: start again with one that is valid');
  } else if (summary.key_refusals > 0) {
    lines.push(
      `the venue refused the key ${summary.key_refusals} times for a while; nothing was placed meanwhile`,
    );
  }
  if (!summary.reconciled) {
    lines.push(NOT_RECONCILED);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function foreignLines({ foreign, halted }: RunSummary): readonly string[] {
  const lines = Object.entries(halted).map(
    ([symbol, cause]) => `${symbol} is halted, start with --adopt ${symbol} to go on: ${cause}`,
  );
  const held = foreign.positions.map(
    ({ symbol, currency, quantity }) => `${quantity} ${symbol} in ${currency}`,
  );
  if (held.length > 0) lines.push(`not ours, and left alone: ${held.join(', ')}`);
  if (foreign.orders > 0) lines.push(`${foreign.orders} open orders are not ours`);
  return lines;
}

/** What the equity is now, for the curve; undefined until the wallet was read. */
export function equityNow(engine: Engine): number | undefined {
  const equity = engine.facts.equity(engine.currency);
  return equity === undefined ? undefined : numberFromFixed(equity);
}
