import type { JournalRecord, JournalRecordOf } from '../../execution/journal/journal-record.js';
import { namespaceOf } from '../../core/ids.js';
import { nearest } from '../../strategy/loader/suggestion.js';
import { UsageError } from '../failure.js';
import type { Events } from './event-story.js';
import type { JournalIndex, OrderKey } from './journal-index.js';
import { operationStory } from './operation-story.js';
import { orderStory } from './order-story.js';
import type { OperationStory, OrderStory, RefusalStory, RelatedStory } from './story.js';
import { verdictStory } from './verdict-story.js';
import { asJournaled } from './words.js';

/** How many a prefix may mean before the answer is a list of them. */
const SHOWN = 10;

export type Found = OrderStory | RefusalStory | OperationStory;

/**
 * Orders and refusals that an id or a key means: one order, or every leg of one decision.
 *
 * @throws UsageError when nothing or too much begins so
 */
export async function findById(
  text: string,
  index: JournalIndex,
  events: Events,
): Promise<readonly Found[]> {
  const orders = await ordersOf(text, index);
  if (orders.length > 1)
    ambiguous(
      text,
      orders.map(({ clientOrderId }) => clientOrderId),
    );
  const [order] = orders;
  if (order !== undefined) return [await storyOf(order, index, events)];
  return await storiesOfDecision(await decisionOf(text, index), index, events);
}

/** By id, also without the account's prefix, which all of its ids share. */
async function ordersOf(text: string, index: JournalIndex): Promise<readonly OrderKey[]> {
  const found = index.orders(text, SHOWN + 1);
  if (found.length > 0) return found;
  const header = await index.header();
  if (header?.type !== 'header') return [];
  return index.orders(`${namespaceOf(header.account)}-${text}`, SHOWN + 1);
}

interface DecisionKey {
  readonly key: string;
  readonly leg?: number;
}

async function decisionOf(text: string, index: JournalIndex): Promise<DecisionKey> {
  const [, key = text, leg] = /^(.*#\d+)\/(\d+)$/.exec(text) ?? [];
  for (const candidate of [key, `operator:${key}`]) {
    const found = index.decisions(candidate, SHOWN + 1);
    if (found.includes(candidate)) return { key: candidate, ...(leg && { leg: Number(leg) }) };
    if (found.length > 1) ambiguous(text, found);
    const [only] = found;
    if (only !== undefined) return { key: only, ...(leg && { leg: Number(leg) }) };
  }
  return await unknownId(text, index);
}

/** Every leg of a decision that is in the journal, orders first. */
export async function storiesOfDecision(
  { key, leg }: DecisionKey,
  index: JournalIndex,
  events: Events,
): Promise<readonly Found[]> {
  const ofLeg = (each: { readonly leg?: number | undefined }): boolean =>
    leg === undefined || each.leg === leg;
  const stories: Found[] = [];
  for (const order of index.ordersOfDecision(key).filter(ofLeg)) {
    stories.push(await storyOf(order, index, events));
  }
  for (const record of await index.refusals(key)) {
    if (record.type === 'verdict' && ofLeg(record)) stories.push(await refusalOf(record, events));
  }
  return stories;
}

async function storyOf(order: OrderKey, index: JournalIndex, events: Events): Promise<Found> {
  const records = await index.recordsOf(order);
  const operation = await operationOf(order, records, index, events);
  if (operation !== undefined) return operation;
  const begun = records.find((record) => record.type === 'intent' || record.type === 'past');
  const event =
    begun === undefined || !('decidedAt' in begun)
      ? undefined
      : await events.story(begun.cause, begun.decidedAt);
  const related = relatedTo(order, index);
  const surroundings = { related, ...(event !== undefined && { event }) };
  return orderStory(order.clientOrderId, records, surroundings);
}

/** Where the id is an operation's, or that of a leg which only an operation placed. */
async function operationOf(
  { clientOrderId, at }: OrderKey,
  records: readonly JournalRecord[],
  index: JournalIndex,
  events: Events,
): Promise<OperationStory | undefined> {
  const own = records.find((record) => 'operationId' in record);
  const isOrder = records.some((record) => 'clientOrderId' in record);
  if (own === undefined || !('operationId' in own) || isOrder) return undefined;
  const [operation] = index.orders(own.operationId, 1);
  const all =
    own.operationId === clientOrderId || operation === undefined
      ? records
      : await index.recordsOf(operation);
  const begun = all.find((record) => record.type === 'operation');
  const event = begun?.cause && (await events.story(begun.cause, at));
  return operationStory(all, event);
}

async function refusalOf(
  record: JournalRecordOf<'verdict'>,
  events: Events,
): Promise<RefusalStory> {
  const { decisionKey: key, leg, strategyId: strategy, venueTime, values } = record;
  const { explanation, sizing } = values;
  const event = await events.ofKey(key, venueTime);
  return {
    kind: 'refusal',
    ...(event !== undefined && { event }),
    decision: { key, leg, strategy },
    ...(explanation !== undefined && { explanation }),
    ...(sizing !== undefined && { sizing }),
    verdict: verdictStory(record),
    records: [asJournaled(record)],
  };
}

function relatedTo(order: OrderKey, index: JournalIndex): readonly RelatedStory[] {
  if (order.decision === undefined) return [];
  return index
    .ordersOfDecision(order.decision)
    .filter(({ id, strategy }) => id !== order.id && strategy === order.strategy)
    .map((other) => ({
      client_order_id: other.clientOrderId,
      as:
        other.leg === order.leg
          ? 'another id of the same order'
          : `leg ${other.leg ?? '?'} of the same decision`,
    }));
}

function ambiguous(text: string, found: readonly string[]): never {
  const shown = found.slice(0, SHOWN).map((each) => `\n  ${each}`);
  const more = found.length > SHOWN ? '\n  …' : '';
  throw new UsageError(
    `"${text}" is the beginning of several; say more of it:${shown.join('')}${more}`,
  );
}

async function unknownId(text: string, index: JournalIndex): Promise<never> {
  const near = nearest(text, index.neighbours(text));
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  const count = index.count();
  const newest = index.newest(3).map((id) => `\n  ${id}`);
  const there =
    count === 0
      ? 'It holds no order'
      : `It holds ${count} order${count === 1 ? '' : 's'}; the newest:${newest.join('')}`;
  throw new UsageError(
    `no order, decision or command of ${index.directory} is called or begins with "${text}"${meant}\n${there}`,
  );
}
