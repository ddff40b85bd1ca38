import type { JournalRecord } from '../../execution/journal/journal-record.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import { UsageError } from '../failure.js';
import type { Events } from './event-story.js';
import { storiesOfDecision, type Found } from './find-order.js';
import type { IndexPorts, JournalIndex } from './journal-index.js';
import { deletedBefore, sessionAt, type Session } from './session-log.js';
import { StoryStore, type Watch } from './story-store.js';
import type { CandleStory, CandleValues } from './story.js';
import type { Subject } from './subject.js';
import { timeText } from './words.js';

export interface CandleAnswer {
  readonly kind: 'candle';
  readonly symbol: string;
  readonly open_time: string;
  /** Of the account, when the candle closed; absent where nothing had begun. */
  readonly mode?: { readonly mode: string; readonly since: string; readonly cause: string };
  readonly session?: string;
  readonly strategies: readonly {
    readonly interval: Interval;
    readonly open_time: string;
    readonly values?: CandleValues;
    readonly story: CandleStory;
    /** What the journal has of its decisions. */
    readonly answers: readonly Found[];
  }[];
  /** Why there is nothing to tell, where no strategy can have seen the candle. */
  readonly nothing?: string;
  /** The replay did not decide as the journal says: the strategy's code is not what it was. */
  readonly warning?: string;
}

interface World {
  readonly index: JournalIndex;
  readonly events: Events;
  readonly ports: IndexPorts;
}

type CandleSubject = Extract<Subject, { kind: 'candle' }>;

/** What came of a candle, strategy by strategy, and why nothing did. @throws UsageError */
export async function candleQuestion(
  subject: CandleSubject,
  strategy: string | undefined,
  world: World,
): Promise<CandleAnswer> {
  const { symbol, time } = subject;
  const base = { kind: 'candle' as const, symbol, open_time: timeText(time) };
  const closedAt = closeTimeOf('1m', openTimeOf('1m', time));
  const sessions = await world.events.sessions();
  const session = sessionAt(sessions, closedAt);
  if (session === undefined) return { ...base, strategies: [], nothing: before(sessions) };
  const mode = modeOf(await world.index.modeAt(closedAt));
  // A candle that closed while nobody ran comes to the next life, to warm up on or as a repair.
  const next = sessions[sessions.indexOf(session) + 1];
  for (const each of next === undefined ? [session] : [session, next]) {
    const told = await tell(subject, strategy, each, world);
    if (told.strategies.length === 0) continue;
    return { ...base, session: each.name, ...(mode !== undefined && { mode }), ...told };
  }
  return { ...base, session: session.name, strategies: [], nothing: missing(session) };
}

type Told = Pick<CandleAnswer, 'strategies' | 'warning'>;

async function tell(
  subject: CandleSubject,
  strategy: string | undefined,
  session: Session,
  world: World,
): Promise<Told> {
  const { symbol, time } = subject;
  const { watches, storyOf, agrees, failure } = await storiesOf(subject, session, world);
  const watching = watches.filter(
    (watch) =>
      watch.symbols.includes(symbol) &&
      (subject.interval === undefined || watch.interval === subject.interval) &&
      (strategy === undefined || watch.strategy === strategy),
  );
  if (watching.length === 0) noStrategy(subject, strategy, session);
  const strategies = [];
  for (const watch of watching) {
    const openTime = openTimeOf(watch.interval, time);
    const untold =
      failure === undefined ? undefined : untoldStory(watch.strategy, symbol, openTime);
    const story = storyOf(watch, openTime) ?? untold;
    if (story !== undefined) {
      strategies.push(await oneStrategy(story, watch.interval, openTime, session, world));
    }
  }
  const warning = failure === undefined ? DIFFERS : `${CANNOT_FOLLOW}: ${failure}`;
  return { strategies, ...(!agrees && { warning }) };
}

const CANNOT_FOLLOW =
  'the record cannot be replayed, because the code of a strategy, or Sluice itself, has changed since';

const untoldStory = (strategy: string, symbol: string, openTime: number): CandleStory => ({
  ...{ strategy, symbol, open_time: timeText(openTime), outcome: 'untold' },
  because: 'the journal has no decision on it, and what the strategy made of it cannot be replayed',
  ...{ asked: [], said: [], orders: [], refusals: [] },
});

const DIFFERS =
  'the replay decided otherwise than the journal says: the code of a strategy, or Sluice itself, has ' +
  'changed since. The journal is what happened; the rest is what the code of today makes of it';

interface Stories {
  readonly watches: readonly Watch[];
  readonly storyOf: (watch: Watch, openTime: number) => CandleStory | undefined;
  readonly agrees: boolean;
  readonly failure?: string;
}

/** As an earlier replay told them, or one of now. */
async function storiesOf(
  { symbol, time }: CandleSubject,
  session: Session,
  { index, ports }: World,
): Promise<Stories> {
  const store = new StoryStore(index.store.database);
  const stored = (watch: Watch, openTime: number): CandleStory | undefined =>
    store.story(session.name, watch.strategy, symbol, openTime);
  const known = store.watches(session.name);
  const isTold = (watch: Watch): boolean =>
    !watch.symbols.includes(symbol) ||
    stored(watch, openTimeOf(watch.interval, time)) !== undefined;
  if (known?.every(isTold) === true) return { watches: known, storyOf: stored, agrees: true };
  // The engine and the strategies are loaded for this question alone.
  const { replayUntil } = await import('./candle-replay.js');
  const replay = await replayUntil({ symbol, time }, session, index.directory, ports);
  const { watches, told, agrees, failure } = replay;
  if (agrees) store.keep(session.name, watches, told);
  const storyOf = ({ strategy }: Watch, openTime: number): CandleStory | undefined =>
    told.find(
      ({ openTime: at, story }) =>
        at === openTime && story.strategy === strategy && story.symbol === symbol,
    )?.story;
  return { watches, storyOf, agrees, ...(failure !== undefined && { failure }) };
}

async function oneStrategy(
  story: CandleStory,
  interval: Interval,
  openTime: number,
  session: Session,
  world: World,
): Promise<CandleAnswer['strategies'][number]> {
  const { symbol } = story;
  const place = { kind: 'candles', symbol, interval, openTime };
  const values = await world.events.candleIn(session, place);
  const answers = await answersOf(story, `candle:${symbol}:${interval}:${openTime}#`, world);
  return {
    interval,
    open_time: timeText(openTime),
    ...(values !== undefined && { values }),
    story: withWhatFollowed(story, answers),
    answers,
  };
}

/** A decision that waits for an order under way is carried out after the candle. */
function withWhatFollowed(story: CandleStory, answers: readonly Found[]): CandleStory {
  if (story.outcome === 'ordered' || story.outcome === 'refused' || answers.length === 0) {
    return story;
  }
  const orders = answers.filter(({ kind }) => kind === 'order').length;
  const outcome = orders > 0 ? 'ordered' : 'refused';
  const then =
    orders > 0 ? `became ${orders === 1 ? 'an order' : `${orders} orders`}` : 'was refused';
  const because =
    story.outcome === 'untold'
      ? `it ${then}`
      : `it had to wait first (${story.because}), then it ${then}`;
  return { ...story, outcome, because };
}

async function answersOf(
  story: CandleStory,
  prefix: string,
  { index, events }: World,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const key of index.decisions(prefix, MOST_DECISIONS)) {
    for (const each of await storiesOfDecision({ key }, index, events)) {
      if (each.kind !== 'operation' && each.decision?.strategy === story.strategy) {
        found.push(each);
      }
    }
  }
  return found;
}

const MOST_DECISIONS = 64;

const modeOf = (record: JournalRecord | undefined): CandleAnswer['mode'] =>
  record?.type === 'mode'
    ? { mode: record.to, since: timeText(record.venueTime), cause: record.cause }
    : undefined;

function before(sessions: readonly Session[]): string {
  const [first] = sessions;
  if (first === undefined) return 'the folder has no record of a run';
  const begun = timeText(first.startedAt);
  return deletedBefore(sessions) === undefined
    ? `nothing ran then: the first session began at ${begun}`
    : `there is an answer since ${begun} only: older sessions are deleted by now (record.keep_days)`;
}

const missing = ({ name, startedAt }: Session): string =>
  `session ${name}, which began at ${timeText(startedAt)}, never met this candle: ` +
  'it had not closed yet when the record ends, or the feed did not bring it';

function noStrategy(
  { symbol, interval }: CandleSubject,
  strategy: string | undefined,
  { name }: Session,
): never {
  const length = interval === undefined ? '' : ` on ${interval}`;
  const who = strategy === undefined ? 'no strategy' : `no strategy called "${strategy}"`;
  throw new UsageError(`${who} traded ${symbol}${length} in session ${name}`);
}
