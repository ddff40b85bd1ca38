import type { ProbeWorld } from './probe-world.js';
import { found, unanswered, whether, type Question } from './probe-question.js';
import { shownAnswer, textUnder, under } from './probe-wire.js';

const KLINE = '/fapi/v1/price/kline';
const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;

const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** A range of the last closed minutes. */
async function lastMinutes(world: ProbeWorld, count: number): Promise<Record<string, string>> {
  const end = seconds(await world.now());
  return { aggregation: '1m', start_time: String(end - count * 60), end_time: String(end) };
}

/** Answered by public reads alone. */
export const MARKET_QUESTIONS: readonly Question[] = [
  {
    id: 'wire-running-bucket',
    kind: 'assumption',
    moment: 'any',
    how: 'GET kline of the longest bucket that is open for ten minutes at least',
    answers: {
      shown: 'buckets above 1m that are not over yet are in the answer',
      hidden: 'only buckets that are over are',
    },
    async ask(world) {
      const now = await world.now();
      const day = Math.floor(now / (DAY_S * 1_000)) * DAY_S;
      const hour = Math.floor(now / 3_600_000) * 3_600;
      const open = [day, hour].find((start) => seconds(now) - start >= 600);
      if (open === undefined) return unanswered('the day and the hour have only begun: ask again');
      const aggregation = open === day ? '1d' : '1h';
      const query = { aggregation, start_time: String(open), end_time: String(open + DAY_S) };
      const rows = (await world.klines(query)) ?? [];
      const shown = rows.some((row) => under(row, 0) === open);
      return found(shown ? 'shown' : 'hidden', `${aggregation} of ${open}: ${rows.length} candles`);
    },
  },
  {
    id: 'wire-empty-klines',
    kind: 'assumption',
    moment: 'any',
    how: 'GET kline of a known symbol in a range of the future',
    answers: {
      omitted: 'a symbol without candles is left out',
      'empty-array': 'it has an empty list',
    },
    async ask(world) {
      const start = seconds(await world.now()) + MONTH_S;
      const query = {
        aggregation: '1m',
        start_time: String(start),
        end_time: String(start + 3_600),
      };
      const rows = await world.klines(query);
      if (rows === undefined) return found('omitted', 'the pair is not in the answer');
      if (rows.length === 0) return found('empty-array', 'the pair has []');
      return unanswered(`${rows.length} candles of next month came`);
    },
  },
  {
    id: 'unknown-symbol-empty',
    kind: 'quirk',
    moment: 'any',
    how: 'GET kline of a symbol that is not known, alone',
    answers: { off: 'the documented 404', on: '200 with an empty data object' },
    async ask(world) {
      const query = { ...(await lastMinutes(world, 5)), assets: 'nosuchcoin/usdt' };
      const answer = await world.wire.get(KLINE, { query });
      if (answer.status === 404) return whether(false, shownAnswer(answer));
      if (answer.status !== 200) return unanswered(shownAnswer(answer));
      return whether(true, shownAnswer(answer));
    },
  },
  {
    id: 'interval-in-text',
    kind: 'quirk',
    moment: 'any',
    how: 'GET kline with an interval that does not exist',
    answers: { off: 'the documented text', on: 'the interval stands before it' },
    async ask(world) {
      const query = { ...(await lastMinutes(world, 5)), assets: world.pair, aggregation: '5x' };
      const answer = await world.wire.get(KLINE, { query });
      const text = textUnder(answer.json, 'errors', 0, 'text');
      if (text === undefined) return unanswered(shownAnswer(answer));
      return whether(text.startsWith('5x '), text);
    },
  },
  {
    id: 'zero-ohlc',
    kind: 'quirk',
    moment: 'any',
    how: 'GET kline of the last 1,440 minutes and look for zeros',
    answers: {
      off: 'every candle is whole',
      on: 'some have zeros in open, high and low, and a close',
    },
    async ask(world) {
      const rows = (await world.klines(await lastMinutes(world, 1_440))) ?? [];
      if (rows.length === 0) return unanswered('no candles came');
      const zeros = rows.filter((row) => under(row, 1) === 0 && Number(under(row, 4)) > 0);
      return whether(zeros.length > 0, `${zeros.length} of ${rows.length} candles`);
    },
  },
  {
    id: 'no-trading-fee',
    kind: 'quirk',
    moment: 'any',
    how: 'GET an asset and look for trading_fee_perc',
    answers: { off: 'it is there', on: 'it is missing' },
    async ask(world) {
      const query = { is_symbol: '1' };
      const { json } = await world.wire.get(`/fapi/v1/futures/${world.symbol}`, { query });
      if (textUnder(json, 'data', 'symbol') === undefined) return unanswered('no asset came');
      const fee = textUnder(json, 'data', 'trading_fee_perc');
      return whether(fee === undefined, `trading_fee_perc: ${fee ?? 'absent'}`);
    },
  },
];
