import { countText } from '../../core/terminal-text.js';
import { probeFinding, unanswered, quirkFinding, type ProbeQuestion } from './probe-question.js';
import { rowsAt, textAt, valueAt } from './probe-http.js';

/** Frames to collect from a one-second stream. */
const OBSERVED_SECONDS = 12;
/** One minute, and some seconds for its candle to arrive. */
const MINUTE_TIMEOUT_MS = 70_000;
/** The interface says that the venue closes an idle connection after 40 s. */
const IDLE_TIMEOUT_MS = 45_000;
/** Assets of the ticker question. */
const MAX_ASSETS = 20;

const replyText = (reply: unknown): string => JSON.stringify(reply ?? 'no reply').slice(0, 160);
const isSuccess = (reply: unknown): boolean => valueAt(reply, 'result') === 'success';

/** Questions that the WebSocket streams answer: about requests, pushes and the connection. */
export const STREAM_QUESTIONS: readonly ProbeQuestion[] = [
  {
    id: 'wire-json-ping',
    kind: 'assumption',
    precondition: 'any',
    how: 'send {"method":"PING"} on a stream connection',
    answers: { error: 'it is an unknown method', pong: 'it is answered with PONG' },
    async ask({ stream }) {
      const reply = await stream.request('PING');
      if (valueAt(reply, 'error') !== undefined) return probeFinding('error', replyText(reply));
      const pong = valueAt(reply, 'method') === 'PONG';
      return pong ? probeFinding('pong', replyText(reply)) : unanswered(replyText(reply));
    },
  },
  {
    id: 'wire-duplicate-subscribe',
    kind: 'assumption',
    precondition: 'any',
    how: 'SUBSCRIBE twice to the same stream',
    answers: { success: 'the second is answered like the first', error: 'it is an error' },
    async ask({ stream, streamName }) {
      const params = { params: [`markKline@1m@${streamName}`] };
      const first = await stream.request('SUBSCRIBE', params);
      const second = await stream.request('SUBSCRIBE', params);
      await stream.request('UNSUBSCRIBE', params);
      if (!isSuccess(first)) return unanswered(replyText(first));
      if (isSuccess(second)) return probeFinding('success', replyText(second));
      return valueAt(second, 'error') === undefined
        ? unanswered(replyText(second))
        : probeFinding('error', replyText(second));
    },
  },
  {
    id: 'wire-ticker-unsubscribe-all',
    kind: 'assumption',
    precondition: 'any',
    how: 'UNSUBSCRIBE from a ticker without naming assets, then LIST_SUBSCRIPTIONS',
    answers: { whole: 'the whole stream is unsubscribed', nothing: 'nothing is unsubscribed' },
    async ask({ stream, streamName }) {
      const ticker = { params: ['ticker@5s'] };
      const joined = await stream.request('SUBSCRIBE', { ...ticker, assets: [streamName] });
      if (!isSuccess(joined)) return unanswered(replyText(joined));
      await stream.request('UNSUBSCRIBE', ticker);
      const list = await stream.request('LIST_SUBSCRIPTIONS');
      const isStillListed = rowsAt(list, 'result', 'subscriptions').includes('ticker@5s');
      if (isStillListed) await stream.request('UNSUBSCRIBE', { ...ticker, assets: [streamName] });
      return probeFinding(isStillListed ? 'nothing' : 'whole', replyText(list));
    },
  },
  {
    id: 'wire-kline-1s',
    kind: 'assumption',
    precondition: 'any',
    how: 'listen to kline@1s and compare the frames of one minute',
    answers: {
      'running-minute': 'each is the minute so far: one open, growing volume',
      second: 'each is a candle of its own second',
    },
    async ask({ stream, streamName }) {
      const params = { params: [`kline@1s@${streamName}`] };
      await stream.request('SUBSCRIBE', params);
      const frames = await stream.collectPushes(
        `kline@1s@${streamName}`,
        OBSERVED_SECONDS,
        2 * OBSERVED_SECONDS * 1_000,
      );
      await stream.request('UNSUBSCRIBE', params);
      return oneSecondKlineFinding(frames);
    },
  },
  {
    id: 'mark-omitted',
    kind: 'quirk',
    precondition: 'any',
    how: 'listen to ticker@1s of the first twenty assets for some seconds',
    answers: { off: 'every row has its mark price', on: 'some rows have none' },
    async ask({ stream, http }) {
      const { json } = await http.get('/fapi/v1/futures', {
        query: { limit: String(MAX_ASSETS) },
      });
      const assets = rowsAt(json, 'data').map((row) => (textAt(row, 'symbol') ?? '').toLowerCase());
      await stream.request('SUBSCRIBE', { params: ['ticker@1s'], assets });
      const frames = await stream.collectPushes(
        'ticker@1s',
        OBSERVED_SECONDS,
        OBSERVED_SECONDS * 1_500,
      );
      await stream.request('UNSUBSCRIBE', { params: ['ticker@1s'], assets });
      const rows = frames.flatMap((frame) => rowsAt(frame));
      if (rows.length === 0) return unanswered('no rows came');
      // `mp` is the mark price.
      const withoutMark = rows.filter((row) => valueAt(row, 'mp') === undefined).length;
      return quirkFinding(withoutMark > 0, `${withoutMark} of ${rows.length} rows without mp`);
    },
  },
  {
    id: 'minute-lag',
    kind: 'quirk',
    precondition: 'any',
    how: 'when kline@1m pushes a minute, GET kline of that minute at once',
    answers: { off: 'it is served', on: 'it is served only seconds later' },
    async ask(context) {
      const { stream, streamName } = context;
      const params = { params: [`kline@1m@${streamName}`] };
      await stream.request('SUBSCRIBE', params);
      const [frame] = await stream.collectPushes(`kline@1m@${streamName}`, 1, MINUTE_TIMEOUT_MS);
      const openTime = valueAt(frame, 't');
      if (typeof openTime !== 'number') return unanswered('no minute came');
      const range = { start_time: String(openTime), end_time: String(openTime + 59) };
      const rows = await context.klines({ aggregation: '1m', ...range });
      await stream.request('UNSUBSCRIBE', params);
      const isServed = (rows ?? []).some((row) => valueAt(row, 0) === openTime);
      return quirkFinding(
        !isServed,
        `the minute of ${openTime} is ${isServed ? 'there' : 'not there yet'}`,
      );
    },
  },
  {
    id: 'no-idle-close',
    kind: 'quirk',
    precondition: 'any',
    runsConcurrently: true,
    how: 'open a stream connection and send nothing for 45 s',
    answers: { off: 'it is closed', on: 'it stays open' },
    async ask(context) {
      const idle = context.openSocket();
      const closed = await idle.waitForClose(IDLE_TIMEOUT_MS);
      idle.close();
      return quirkFinding(
        !closed,
        closed ? `closed: ${idle.closeReason ?? ''}` : 'open after 45 s',
      );
    },
  },
];

/**
 * Whether `kline@1s` is a candle of one second or of the running minute. Compares the frames of the minute
 * that at least half of them belong to, because a new minute may begin meanwhile.
 * @param frames with `t`, open time in s; `o`, open; `v`, volume
 */
function oneSecondKlineFinding(frames: readonly unknown[]) {
  const minuteOf = (frame: unknown): number => Math.floor(Number(valueAt(frame, 't')) / 60);
  const minutes = frames.map(minuteOf);
  const commonMinute = minutes.find(
    (minute) => minutes.filter((each) => each === minute).length * 2 >= minutes.length,
  );
  const framesOfMinute = frames.filter((frame) => minuteOf(frame) === commonMinute);
  if (framesOfMinute.length < 3)
    return unanswered(`${countText(framesOfMinute.length, 'frame')} of one minute came`);
  const opens = new Set(framesOfMinute.map((frame) => valueAt(frame, 'o')));
  const volumes = framesOfMinute.map((frame) => Number(valueAt(frame, 'v')));
  const grows = volumes.every(
    (volume, index) => index === 0 || volume >= Number(volumes[index - 1]),
  );
  const evidence = `${framesOfMinute.length} frames, ${countText(opens.size, 'open')}, volume ${grows ? 'grows' : 'varies'}`;
  return probeFinding(opens.size === 1 && grows ? 'running-minute' : 'second', evidence);
}
