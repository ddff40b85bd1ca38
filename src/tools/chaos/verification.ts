import type { Files } from '../../core/ports.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { decodeJournalRecord, type JournalRecord } from '../../execution/journal/journal-record.js';
import { textFromFixed } from '../../core/fixed/fixed.js';

/** One check, and whether it holds. */
export interface ScenarioFinding {
  readonly holds: boolean;
  readonly text: string;
}

/** The outcome of a scenario: the view of the exchange beside the bot's. */
export interface ScenarioEvidence {
  readonly clientOrderId: string;
  /** How often the POST of that id reached the exchange. */
  readonly deliveries: number;
  /** States of the exchange's orders with that id. */
  readonly orders: readonly string[];
  /** Signed, at the exchange and in the summary of the bot. */
  readonly position: { readonly venue: string; readonly believed: string };
  readonly unknown: number | undefined;
  readonly reconciled: boolean;
  /** Journal records of the order as texts, oldest first. */
  readonly journal: readonly string[];
}

export interface SandboxStateView {
  readonly orders: readonly {
    readonly client_order_id: string | null;
    readonly status: string;
    readonly order_type: string;
  }[];
  readonly deliveries: Readonly<Record<string, number>>;
  readonly positions: readonly {
    readonly symbol: string;
    readonly order_type: string;
    readonly quantity: string;
  }[];
}

export interface BotSummary {
  readonly unknown: number;
  readonly reconciled: boolean;
  readonly positions: readonly { readonly symbol: string; readonly quantity: string }[];
}

export async function readFinishedJournal(
  files: Files,
  stateDir: string,
): Promise<readonly JournalRecord[]> {
  const log = await openFramedLog(files, stateDir, 'journal');
  const records = log.read().map(decodeJournalRecord);
  await log.close();
  return records;
}

export function collectScenarioEvidence(
  symbol: string,
  view: SandboxStateView,
  summary: BotSummary | undefined,
  records: readonly JournalRecord[],
): ScenarioEvidence {
  const intents = records.filter((record) => record.type === 'intent');
  const clientOrderId = intents[0]?.clientOrderId ?? '';
  const row = view.positions.find((position) => position.symbol === symbol);
  return {
    clientOrderId,
    deliveries: view.deliveries[clientOrderId] ?? 0,
    orders: view.orders
      .filter(({ order_type: type }) => type === 'LONG' || type === 'SHORT')
      .map((order) => order.status),
    position: {
      venue: row === undefined ? '0' : `${row.order_type === 'SHORT' ? '-' : ''}${row.quantity}`,
      believed: summary?.positions.find((each) => each.symbol === symbol)?.quantity ?? '0',
    },
    unknown: summary?.unknown,
    reconciled: summary?.reconciled === true,
    journal: records.flatMap((record) => journalLines(record, clientOrderId)),
  };
}

/** The expected outcome of a scenario. */
export interface ExpectedOutcome {
  /** How often the exchange receives the POST of the id. */
  readonly deliveries: number;
  /** `FILLED`: the order. `CANCELLED`: the fence instead of it, so that nothing was traded. */
  readonly order: 'FILLED' | 'CANCELLED';
}

/** Checks the evidence of one order that the strategy sent once. */
export function verifyEvidence(
  evidence: ScenarioEvidence,
  expected: ExpectedOutcome,
): readonly ScenarioFinding[] {
  const { position, orders, unknown } = evidence;
  const { deliveries, order } = expected;
  return [
    {
      holds: evidence.deliveries === deliveries,
      text: `the exchange received the POST ${countText(evidence.deliveries)}`,
    },
    {
      holds: orders.length === 1 && orders[0] === order,
      text: `orders at the exchange: ${orders.length}${orders.length === 0 ? '' : ` (${orders.join(', ')})`}`,
    },
    {
      holds:
        position.venue === position.believed && (position.venue !== '0') === (order === 'FILLED'),
      text: `position: the exchange has ${position.venue}, the bot has ${position.believed}`,
    },
    {
      holds: unknown === 0 && evidence.reconciled,
      text:
        unknown === undefined
          ? 'the bot did not end with a summary'
          : `orders without a proved outcome: ${unknown}; ${evidence.reconciled ? '' : 'not '}reconciled`,
    },
  ];
}

const countText = (times: number): string =>
  times === 1 ? 'once' : times === 2 ? 'twice' : `${times} times`;

function journalLines(record: JournalRecord, clientOrderId: string): readonly string[] {
  if (!('clientOrderId' in record) || record.clientOrderId !== clientOrderId) return [];
  switch (record.type) {
    case 'intent': {
      const { side, quantity, symbol, type } = record.terms;
      return [`intent   ${side} ${textFromFixed(quantity)} ${symbol}, ${type}`];
    }
    case 'attempt':
      return [`attempt  ${record.attempt}, durable before it is sent`];
    case 'outcome':
      return [
        `outcome  of attempt ${record.attempt}: ${record.outcome}${record.text === undefined ? '' : `, "${record.text}"`}`,
      ];
    case 'instruction':
      return [`${record.instruction.padEnd(8)} ${record.reason}`];
    case 'fence': {
      const { side, quantity, symbol, price } = record.terms;
      const at = price === undefined ? '' : ` at ${textFromFixed(price)}`;
      return [`fence    ${record.attempt}, ${side} ${textFromFixed(quantity)} ${symbol}${at}`];
    }
    case 'fence-outcome':
      return [`outcome  of fence ${record.attempt}: ${record.outcome}`];
    case 'update': {
      const price =
        record.averagePrice === undefined ? '' : ` at ${textFromFixed(record.averagePrice)}`;
      const filled = textFromFixed(record.filledQuantity);
      if (record.filledQuantity === 0 && !record.final)
        return [`found    at the exchange, ${record.status}`];
      return [
        `update   ${record.status}, ${filled} filled${price}${record.final ? ', final' : ''}`,
      ];
    }
    case 'note':
      return [`note     ${record.text}`];
    default:
      return [];
  }
}
