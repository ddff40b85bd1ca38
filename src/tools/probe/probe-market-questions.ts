import { countText } from '../../core/terminal-text.js';
import type { ProbeContext } from './probe-context.js';
import { probeFinding, unanswered, quirkFinding, type ProbeQuestion } from './probe-question.js';
import { responseText, textAt, valueAt } from './probe-http.js';

const KLINE = '/fapi/v1/price/kline';
const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;

const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** The query range of the last closed minutes. */
async function lastMinutes(context: ProbeContext, count: number): Promise<Record<string, string>> {
  const end = seconds(await context.venueNow());
  return { aggregation: '1m', start_time: String(end - count * 60), end_time: String(end) };
}

/** Answered by public reads only. */
export const MARKET_QUESTIONS: readonly ProbeQuestion[] = [
  {
    id: 'wire-running-bucket',
    kind: 'assumption',
    precondition: 'any',
    how: 'GET kline of the longest bucket that has been open for at least ten minutes',
    answers: {
      shown: 'open buckets above 1m are in the reply',
      hidden: 'only closed buckets are in the reply',
    },
    async ask(context) {
      const now = await context.venueNow();
      const day = Math.floor(now / (DAY_S * 1_000)) * DAY_S;
      const hour = Math.floor(now / 3_600_000) * 3_600;
      const open = [day, hour].find((start) => seconds(now) - start >= 600);
      if (open === undefined)
        return unanswered('the day and the hour have just begun: probe again later');
      const aggregation = open === day ? '1d' : '1h';
      const query = { aggregation, start_time: String(open), end_time: String(open + DAY_S) };
      const rows = (await context.klines(query)) ?? [];
      const shown = rows.some((row) => valueAt(row, 0) === open);
      return probeFinding(
        shown ? 'shown' : 'hidden',
        `${aggregation} of ${open}: ${countText(rows.length, 'candle')}`,
      );
    },
  },
  {
    id: 'wire-empty-klines',
    kind: 'assumption',
    precondition: 'any',
    how: 'GET kline of a known symbol in a range of the future',
    answers: {
      omitted: 'a symbol without candles is left out',
      'empty-array': 'it has an empty list',
    },
    async ask(context) {
      const start = seconds(await context.venueNow()) + MONTH_S;
      const query = {
        aggregation: '1m',
        start_time: String(start),
        end_time: String(start + 3_600),
      };
      const rows = await context.klines(query);
      if (rows === undefined) return probeFinding('omitted', 'the pair is not in the answer');
      if (rows.length === 0) return probeFinding('empty-array', 'the pair has []');
      return unanswered(`${countText(rows.length, 'candle')} of next month came`);
    },
  },
  {
    id: 'unknown-symbol-empty',
    kind: 'quirk',
    precondition: 'any',
    how: 'GET kline of one unknown symbol',
    answers: { off: 'the documented 404', on: '200 with an empty data object' },
    async ask(context) {
      const query = { ...(await lastMinutes(context, 5)), assets: 'nosuchcoin/usdt' };
      const response = await context.http.get(KLINE, { query });
      if (response.status === 404) return quirkFinding(false, responseText(response));
      if (response.status !== 200) return unanswered(responseText(response));
      return quirkFinding(true, responseText(response));
    },
  },
  {
    id: 'interval-in-text',
    kind: 'quirk',
    precondition: 'any',
    how: 'GET kline with an interval that does not exist',
    answers: { off: 'the documented text', on: 'the interval stands before it' },
    async ask(context) {
      const query = { ...(await lastMinutes(context, 5)), assets: context.pair, aggregation: '5x' };
      const response = await context.http.get(KLINE, { query });
      const text = textAt(response.json, 'errors', 0, 'text');
      if (text === undefined) return unanswered(responseText(response));
      return quirkFinding(text.startsWith('5x '), text);
    },
  },
  {
    id: 'zero-ohlc',
    kind: 'quirk',
    precondition: 'any',
    how: 'GET kline of the last 1,440 minutes and look for zeros',
    answers: {
      off: 'every candle is whole',
      on: 'some have zeros in open, high and low, and a close',
    },
    async ask(context) {
      const rows = (await context.klines(await lastMinutes(context, 1_440))) ?? [];
      if (rows.length === 0) return unanswered('no candles came');
      const zeros = rows.filter((row) => valueAt(row, 1) === 0 && Number(valueAt(row, 4)) > 0);
      return quirkFinding(zeros.length > 0, `${zeros.length} of ${rows.length} candles`);
    },
  },
  {
    id: 'no-trading-fee',
    kind: 'quirk',
    precondition: 'any',
    how: 'GET an asset and look for trading_fee_perc',
    answers: { off: 'it is there', on: 'it is missing' },
    async ask(context) {
      const query = { is_symbol: '1' };
      const { json } = await context.http.get(`/fapi/v1/futures/${context.symbol}`, { query });
      if (textAt(json, 'data', 'symbol') === undefined) return unanswered('no asset came');
      const fee = textAt(json, 'data', 'trading_fee_perc');
      return quirkFinding(fee === undefined, `trading_fee_perc: ${fee ?? 'absent'}`);
    },
  },
];
