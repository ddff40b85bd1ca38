import type { Files } from '../../core/ports.js';
import { openFramedLog } from '../../execution/log/framed-log.js';
import { decodeJournalRecord, type JournalRecord } from '../../execution/journal/journal-record.js';
import { textFromFixed } from '../../core/fixed.js';

/** One line of a proof, and whether it holds. */
export interface Finding {
  readonly holds: boolean;
  readonly text: string;
}

/** What a scene came to: the exchange's own view beside the bot's. */
export interface Evidence {
  readonly clientOrderId: string;
  /** How often the POST of that id reached the exchange. */
  readonly deliveries: number;
  /** States of the exchange's orders with that id. */
  readonly orders: readonly string[];
  /** Signed, as the exchange has it and as the bot said when it ended. */
  readonly position: { readonly venue: string; readonly believed: string };
  readonly unknown: number | undefined;
  readonly reconciled: boolean;
  /** Lines about the order, oldest first. */
  readonly journal: readonly string[];
}

export interface GodView {
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

export interface Summary {
  readonly unknown: number;
  readonly reconciled: boolean;
  readonly positions: readonly { readonly symbol: string; readonly quantity: string }[];
}

export async function readJournal(
  files: Files,
  stateDir: string,
): Promise<readonly JournalRecord[]> {
  const log = await openFramedLog(files, stateDir, 'journal');
  const records = log.read().map(decodeJournalRecord);
  await log.close();
  return records;
}

export function evidenceOf(
  symbol: string,
  view: GodView,
  summary: Summary | undefined,
  records: readonly JournalRecord[],
): Evidence {
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
    journal: records.flatMap((record) => lineOf(record, clientOrderId)),
  };
}

/** The result that a scene must have. */
export interface Expected {
  /** How often the exchange receives the POST of the id. */
  readonly deliveries: number;
  /** `FILLED`: the order. `CANCELLED`: its fence, in its place, so that nothing was traded. */
  readonly order: 'FILLED' | 'CANCELLED';
}

/** The findings on one order that the strategy wanted once. */
export function findings(evidence: Evidence, expected: Expected): readonly Finding[] {
  const { position, orders, unknown } = evidence;
  const { deliveries, order } = expected;
  return [
    {
      holds: evidence.deliveries === deliveries,
      text: `the exchange received the POST ${timesText(evidence.deliveries)}`,
    },
    {
      holds: orders.length === 1 && orders[0] === order,
      text: `orders at the exchange: ${orders.length}${orders.length === 0 ? '' : ` (${orders.join(', ')})`}`,
    },
    {
      holds:
        position.venue === position.believed && (position.venue !== '0') === (order === 'FILLED'),
      text: `position: the exchange has ${position.venue}, the bot believes ${position.believed}`,
    },
    {
      holds: unknown === 0 && evidence.reconciled,
      text:
        unknown === undefined
          ? 'the bot did not end with a summary'
          : `orders without a proved outcome: ${unknown}; books ${evidence.reconciled ? '' : 'not '}reconciled`,
    },
  ];
}

const timesText = (times: number): string =>
  times === 1 ? 'once' : times === 2 ? 'twice' : `${times} times`;

function lineOf(record: JournalRecord, clientOrderId: string): readonly string[] {
  if (!('clientOrderId' in record) || record.clientOrderId !== clientOrderId) return [];
  switch (record.type) {
    case 'intent': {
      const { side, quantity, symbol, type } = record.terms;
      return [`intent   ${side} ${textFromFixed(quantity)} ${symbol}, ${type}`];
    }
    case 'attempt':
      return [`attempt  ${record.attempt}, durable before its bytes leave`];
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
