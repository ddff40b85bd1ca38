import { oneLine, countText } from '../../core/terminal-text.js';
import type { Engine } from '../../engine/engine.js';
import { restrictionText } from '../../risk/restriction-text.js';
import type { Restriction } from '../../risk/restrictions.js';
import { sparkline } from '../../report/sparkline.js';
import { summaryTable } from '../../report/summary-table.js';
import { orphanText } from '../plan/difference.js';
import { strategyFailureLines } from '../strategies/strategy-failures.js';
import { expectationText } from '../expectation/expectation-text.js';
import { leftOpenLines, UNFINISHED_FLATTEN_TEXT } from './open-exposure-text.js';
import { refusalLines } from './refusal-text.js';
import type { RunSummary } from './run-summary.js';
import { unprovedAdvice } from './unproved-orders.js';

/** Table of a run that ended before the venue could be used. */
export const venueUnavailableText = (stateDir: string, colour: boolean): string =>
  `${summaryTable(
    { Unknown: null, Positions: null, Equity: null, Reconciled: false, State: stateDir },
    { colour, title: 'Run: the venue could not be used' },
  )}\n`;

const SPARKLINE_WIDTH = 48;

/** Text of a summary, with the equity curve and a sentence for everything that did not happen. */
export function summaryText(
  summary: RunSummary,
  engine: Engine,
  options: { readonly equity: readonly number[]; readonly colour: boolean },
): string {
  const { currency } = engine;
  const table = summaryTable(
    {
      ...(summary.would_send !== null && { 'Would send': countText(summary.would_send, 'order') }),
      'Orders placed': summary.orders_placed,
      'Orders filled': summary.orders_filled,
      'First fill': summary.first_fill_ms === null ? null : `${summary.first_fill_ms} ms`,
      Intents: summary.intents,
      Refused: summary.refused,
      Rejected: summary.rejected,
      'Never sent': summary.dropped,
      Unknown: summary.unknown,
      Positions: summary.positions.map(positionText).join(', ') || 'none',
      'At the venue': venuePositionsText(summary),
      Equity: equityText(summary.equity, currency),
      'PnL after fees': equityText(summary.pnl, currency),
      Realised: equityText(summary.realised_pnl, currency),
      Fees: feesText(summary.fees),
      Unrealised: equityText(summary.unrealised_pnl, currency),
      Reconciled: summary.reconciled,
      State: summary.state_dir,
    },
    { colour: options.colour, title: 'Run' },
  );
  const curve =
    options.equity.length === 0
      ? ''
      : `equity ${sparkline(options.equity, { width: SPARKLINE_WIDTH })}\n`;
  const failures = [...strategyFailureLines(engine), ...refusalLines(engine.counts)].map(
    (line) => `${line}\n`,
  );
  return `${failures.join('')}${table}\n${curve}${explanations(summary, engine)}`;
}

/** With its age: the venue's report may be older than our positions. */
function venuePositionsText({
  venue_positions: positions,
  venue_positions_age_ms: age,
}: RunSummary): string | null {
  if (positions === null || age === null) return null;
  const positionsText =
    positions.map(({ symbol, quantity }) => `${quantity} ${symbol}`).join(', ') || 'none';
  return `${positionsText}, ${(age / 1_000).toFixed(1)} s ago`;
}

/** `0.118 USDT (trading 0.118, funding 0, rebates 0)`. */
function feesText(fees: RunSummary['fees']): string | null {
  if (fees === null) return null;
  return Object.entries(fees)
    .map(([currency, { total, trading, funding, rebates }]) => {
      return `${total} ${currency} (trading ${trading}, funding ${funding}, rebates ${rebates})`;
    })
    .join(', ');
}

const positionText = (
  position: Pick<RunSummary['positions'][number], 'quantity' | 'symbol'>,
): string => `${position.quantity} ${position.symbol}`;

const equityText = (equity: string | null, currency: string): string | null =>
  equity === null ? null : `${Number(equity).toFixed(2)} ${currency}`;

export const NOT_RECONCILED =
  'the account was not reconciled before the run ended; start again to reconcile it';

/** Lines that explain a run without trades, unproved orders and external activity. */
function explanations(summary: RunSummary, engine: Engine): string {
  const lines: string[] = [];
  if (summary.intents === 0 && summary.errors.length === 0) {
    lines.push('no strategy requested a trade: no signal occurred within the run');
  }
  if (summary.expectation !== null) lines.push(expectationText(summary.expectation));
  lines.push(...controlLines(summary));
  lines.push(...orphanLines(engine), ...externalLines(summary), ...unreadableLines(summary));
  lines.push(...engine.restrictions.filter(isNoSymbolHalt).map(restrictionText));
  if (engine.flattenState === 'unfinished')
    lines.push(UNFINISHED_FLATTEN_TEXT, ...leftOpenLines(engine.openExposure.own));
  if (summary.unknown !== null && summary.unknown > 0) {
    lines.push(
      summary.unknown === 1
        ? '1 order has no proved outcome; the next start with this state_dir resolves it first'
        : `${summary.unknown} orders have no proved outcome; the next start with this state_dir resolves them first`,
    );
  }
  lines.push(...summary.unproved.map(unprovedAdvice));
  if (summary.key_refused) {
    lines.push('the venue refused the key when the run ended: start again with one that is valid');
  } else if (summary.key_refusals > 0) {
    lines.push(
      `the venue refused the key ${summary.key_refusals === 1 ? 'once' : `${summary.key_refusals} times`} for a while; nothing was placed meanwhile`,
    );
  }
  if (!summary.reconciled) {
    lines.push(NOT_RECONCILED);
  }
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

/** Effects of R17 and of the controls that stop a strategy: no refusal and no restriction shows them. */
function controlLines({ entries_without_stop: bare, stopped_by: stopped }: RunSummary) {
  const lines = Object.entries(stopped).map(
    ([strategy, control]) =>
      `${strategy} was stopped by ${control}: sluice risk explain ${control} shows why; a new start runs it again`,
  );
  if (bare > 0)
    lines.push(
      `${bare === 1 ? '1 entry' : `${bare} entries`} left without a stop loss (R17): set protect.stop_loss_pct, or risk.require_stop_loss`,
    );
  return lines;
}

/** Positions of ours that no configured strategy trades. */
function orphanLines({ positions, hosts, currency }: Engine): readonly string[] {
  const traded = new Set(hosts.flatMap(({ symbols }) => symbols));
  return [...positions.openPositions()]
    .filter((position) => position.currency === currency && !traded.has(position.symbol))
    .map(({ symbol }) => ({ symbol, quantity: positions.ownQuantity(symbol, currency) }))
    .filter(({ quantity }) => quantity !== 0)
    .map(orphanText);
}

/** Halted symbols have lines of their own. */
const isNoSymbolHalt = ({ control, symbol }: Restriction): boolean =>
  control !== 'R22' || symbol === undefined;

const unreadableLines = ({ unreadable }: RunSummary): readonly string[] =>
  Object.entries(unreadable).map(([symbol, cause]) => `${symbol} is unknown: ${cause}`);

function externalLines({ foreign, halted }: RunSummary): readonly string[] {
  const lines = Object.entries(halted).map(
    ([symbol, cause]) =>
      `${symbol} is halted: ${cause}. To end it: sluice resume ${symbol}, or adopt the position: sluice resume ${symbol} --adopt`,
  );
  const positionTexts = foreign.positions.map(
    ({ symbol, currency, quantity }) => `${quantity} ${symbol} in ${currency}`,
  );
  if (positionTexts.length > 0)
    lines.push(`external, and not touched: ${positionTexts.join(', ')}`);
  if (foreign.orders > 0)
    lines.push(
      `${countText(foreign.orders, 'open order')} ${foreign.orders === 1 ? 'is' : 'are'} external`,
    );
  return lines;
}
