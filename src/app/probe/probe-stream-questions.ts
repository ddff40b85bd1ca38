import { found, unanswered, whether, type Question } from './probe-question.js';
import { rowsUnder, textUnder, under } from './probe-wire.js';

const SECONDS_WATCHED = 12;
/** A minute, and the second or two that its candle may take. */
const MINUTE_WITHIN_MS = 70_000;
/** The interface closes an idle connection after 40 s. */
const IDLE_WATCHED_MS = 45_000;
const MOST_ASSETS = 20;

const shown = (reply: unknown): string => JSON.stringify(reply ?? 'no reply').slice(0, 160);
const isSuccess = (reply: unknown): boolean => under(reply, 'result') === 'success';

/** Answered by listening. */
export const STREAM_QUESTIONS: readonly Question[] = [
  {
    id: 'wire-json-ping',
    kind: 'assumption',
    moment: 'any',
    how: 'send {"method":"PING"} on a stream connection',
    answers: { error: 'it is an unknown method', pong: 'it is answered with PONG' },
    async ask({ stream }) {
      const reply = await stream.request('PING');
      if (under(reply, 'error') !== undefined) return found('error', shown(reply));
      const pong = under(reply, 'method') === 'PONG';
      return pong ? found('pong', shown(reply)) : unanswered(shown(reply));
    },
  },
  {
    id: 'wire-duplicate-subscribe',
    kind: 'assumption',
    moment: 'any',
    how: 'SUBSCRIBE twice to the same stream',
    answers: { success: 'the second is answered like the first', error: 'it is an error' },
    async ask({ stream, streamName }) {
      const params = { params: [`markKline@1m@${streamName}`] };
      const first = await stream.request('SUBSCRIBE', params);
      const second = await stream.request('SUBSCRIBE', params);
      await stream.request('UNSUBSCRIBE', params);
      if (!isSuccess(first)) return unanswered(shown(first));
      if (isSuccess(second)) return found('success', shown(second));
      return under(second, 'error') === undefined
        ? unanswered(shown(second))
        : found('error', shown(second));
    },
  },
  {
    id: 'wire-ticker-unsubscribe-all',
    kind: 'assumption',
    moment: 'any',
    how: 'UNSUBSCRIBE from a ticker without naming assets, then LIST_SUBSCRIPTIONS',
    answers: { whole: 'the whole stream is left', nothing: 'nothing is' },
    async ask({ stream, streamName }) {
      const ticker = { params: ['ticker@5s'] };
      const joined = await stream.request('SUBSCRIBE', { ...ticker, assets: [streamName] });
      if (!isSuccess(joined)) return unanswered(shown(joined));
      await stream.request('UNSUBSCRIBE', ticker);
      const list = await stream.request('LIST_SUBSCRIPTIONS');
      const left = rowsUnder(list, 'result', 'subscriptions').includes('ticker@5s');
      if (left) await stream.request('UNSUBSCRIBE', { ...ticker, assets: [streamName] });
      return found(left ? 'nothing' : 'whole', shown(list));
    },
  },
  {
    id: 'wire-kline-1s',
    kind: 'assumption',
    moment: 'any',
    how: 'listen to kline@1s and compare the frames of one minute',
    answers: {
      'running-minute': 'each is the minute so far: one open, growing volume',
      second: 'each is a candle of its own second',
    },
    async ask({ stream, streamName }) {
      const params = { params: [`kline@1s@${streamName}`] };
      await stream.request('SUBSCRIBE', params);
      const frames = await stream.pushes(
        `kline@1s@${streamName}`,
        SECONDS_WATCHED,
        2 * SECONDS_WATCHED * 1_000,
      );
      await stream.request('UNSUBSCRIBE', params);
      return kline1s(frames);
    },
  },
  {
    id: 'mark-omitted',
    kind: 'quirk',
    moment: 'any',
    how: 'listen to ticker@1s of the first twenty assets for some seconds',
    answers: { off: 'every row has its mark price', on: 'some rows have none' },
    async ask({ stream, wire }) {
      const { json } = await wire.get('/fapi/v1/futures', {
        query: { limit: String(MOST_ASSETS) },
      });
      const assets = rowsUnder(json, 'data').map((row) =>
        (textUnder(row, 'symbol') ?? '').toLowerCase(),
      );
      await stream.request('SUBSCRIBE', { params: ['ticker@1s'], assets });
      const frames = await stream.pushes('ticker@1s', SECONDS_WATCHED, SECONDS_WATCHED * 1_500);
      await stream.request('UNSUBSCRIBE', { params: ['ticker@1s'], assets });
      const rows = frames.flatMap((frame) => rowsUnder(frame));
      if (rows.length === 0) return unanswered('no rows came');
      const without = rows.filter((row) => under(row, 'mp') === undefined).length;
      return whether(without > 0, `${without} of ${rows.length} rows without mp`);
    },
  },
  {
    id: 'minute-lag',
    kind: 'quirk',
    moment: 'any',
    how: 'when kline@1m tells a minute, GET kline of that minute at once',
    answers: { off: 'it is served', on: 'it is served only seconds later' },
    async ask(world) {
      const { stream, streamName } = world;
      const params = { params: [`kline@1m@${streamName}`] };
      await stream.request('SUBSCRIBE', params);
      const [frame] = await stream.pushes(`kline@1m@${streamName}`, 1, MINUTE_WITHIN_MS);
      const openTime = under(frame, 't');
      if (typeof openTime !== 'number') return unanswered('no minute came');
      const range = { start_time: String(openTime), end_time: String(openTime + 59) };
      const rows = await world.klines({ aggregation: '1m', ...range });
      await stream.request('UNSUBSCRIBE', params);
      const there = (rows ?? []).some((row) => under(row, 0) === openTime);
      return whether(!there, `the minute of ${openTime} is ${there ? 'there' : 'not there yet'}`);
    },
  },
  {
    id: 'no-idle-close',
    kind: 'quirk',
    moment: 'any',
    long: true,
    how: 'open a stream connection and say nothing for 45 s',
    answers: { off: 'it is closed', on: 'it stays open' },
    async ask(world) {
      const idle = world.open();
      const closed = await idle.closedWithin(IDLE_WATCHED_MS);
      idle.close();
      return whether(!closed, closed ? `closed: ${idle.closedBy ?? ''}` : 'open after 45 s');
    },
  },
];

/** Frames of the minute that most of them are of. */
function kline1s(frames: readonly unknown[]) {
  const minuteOf = (frame: unknown): number => Math.floor(Number(under(frame, 't')) / 60);
  const minutes = frames.map(minuteOf);
  const most = minutes.find(
    (minute) => minutes.filter((each) => each === minute).length * 2 >= minutes.length,
  );
  const same = frames.filter((frame) => minuteOf(frame) === most);
  if (same.length < 3) return unanswered(`${same.length} frames of one minute came`);
  const opens = new Set(same.map((frame) => under(frame, 'o')));
  const volumes = same.map((frame) => Number(under(frame, 'v')));
  const grows = volumes.every(
    (volume, index) => index === 0 || volume >= Number(volumes[index - 1]),
  );
  const evidence = `${same.length} frames, ${opens.size} opens, volume ${grows ? 'grows' : 'varies'}`;
  return found(opens.size === 1 && grows ? 'running-minute' : 'second', evidence);
}
