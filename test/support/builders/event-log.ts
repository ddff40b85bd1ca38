import type { JournalRecord } from '../../../src/execution/journal/journal-record.js';
import { encodeJournalRecord } from '../../../src/execution/journal/journal-record.js';
import type { Priority, VenueRequest } from '../../../src/core/request.js';
import { textFromFixed } from '../../../src/core/fixed/fixed.js';
import type { ProtocolRig } from '../rigs/protocol-rig.js';

/** Fields of a record that repeat its subject or its line. */
const LEFT_OUT = new Set(['v', 'type', 'venueTime', 'clientOrderId', 'operationId', 'payloadHash']);

/**
 * From now on, what a reader of the journal and of the wire would see, a line each, with the ms since:
 * `0 cancel: cancel wanted`, `0 send cancel v1 as cancel`, `30 operation-ended {"end":"applied",…}`.
 */
export function eventLog(rig: ProtocolRig): string[] {
  const lines: string[] = [];
  const priorities = new Map<number, Priority>();
  const start = rig.stamp.monotonic;
  const append = (text: string): unknown => lines.push(`${rig.stamp.monotonic - start} ${text}`);
  const { journal, requestPermit, send } = rig;
  rig.journal = (record) => {
    append(describeRecord(record));
    journal.call(rig, record);
  };
  rig.requestPermit = (id, request, priority) => {
    priorities.set(id, priority);
    requestPermit.call(rig, id, request, priority);
  };
  rig.send = (id, request) => {
    append(
      `send ${describeRequest(request)} as ${priorities.get(id) ?? 'requested before the log'}`,
    );
    send.call(rig, id, request);
  };
  return lines;
}

function describeRecord(record: JournalRecord): string {
  if (record.type === 'note') return `${record.level}: ${record.text}`;
  if (record.type === 'instruction') return `${record.instruction}: ${record.reason}`;
  const line = new TextDecoder().decode(encodeJournalRecord(record));
  const fields = Object.entries(JSON.parse(line) as object);
  return `${record.type} ${JSON.stringify(Object.fromEntries(fields.filter(([key]) => !LEFT_OUT.has(key))))}`;
}

function describeRequest(request: VenueRequest): string {
  switch (request.kind) {
    case 'cancel':
    case 'find-order':
      return `${request.kind} ${'orderId' in request.order ? request.order.orderId : 'by our id'}`;
    case 'amend':
      return `amend ${request.orderId} to ${textFromFixed(request.quantity)} at ${textFromFixed(request.price)}`;
    case 'set-leg':
      return `set-leg ${request.slot} ${textFromFixed(request.price)} on ${request.positionId}`;
    case 'move-leg':
      return `move-leg ${request.slot} ${request.orderId} to ${textFromFixed(request.price)}`;
    case 'change-margin':
      return `change-margin ${request.positionId} by ${textFromFixed(request.change)}`;
    case 'set-leverage':
      return `set-leverage ${textFromFixed(request.leverage)}`;
    case 'transfer':
      return `transfer ${request.direction} ${textFromFixed(request.amount)} ${request.currency}`;
    default:
      return request.kind;
  }
}
