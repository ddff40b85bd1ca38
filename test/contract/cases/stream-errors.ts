import { CaseRegistry } from '../case-registry.js';
import { equal } from '../expect.js';
import { JsonNumber, type Json } from '../json.js';
import { requestReply, openStreamOrFail } from '../stream-replies.js';

export const streamErrors = new CaseRegistry();

interface Refusing {
  readonly row: string;
  readonly title: string;
  /** A text is sent as it is. */
  readonly message: unknown;
  readonly method: string;
  readonly id: number;
  readonly code: number;
  readonly msg: string;
}

const SUBSCRIBE = 'SUBSCRIBE';
const bad = (name: string): string => `invalid stream name: ${name}`;
const subscribe = (row: string, title: string, name: string): Refusing => ({
  row,
  title,
  message: { id: 7, method: SUBSCRIBE, params: [name] },
  method: SUBSCRIBE,
  id: 7,
  code: 400,
  msg: bad(name),
});

const REFUSING: readonly Refusing[] = [
  ...['{', 'hello', 'PING', ''].map((message) => ({
    row: 'E501',
    title: `the text ${JSON.stringify(message)} is not JSON`,
    message,
    method: '',
    id: 0,
    code: 400,
    msg: 'invalid JSON',
  })),
  ...['FOO', 'PING', 'subscribe'].map((method) => ({
    row: 'E502',
    title: `${method} is not a method, and is echoed`,
    message: { id: 3, method },
    method,
    id: 3,
    code: 400,
    msg: 'unknown method',
  })),
  subscribe('E503', 'a five-minute stream does not exist', 'kline@5m@btcusdt'),
  subscribe('E503', 'a kline stream needs a symbol', 'kline@1m'),
  subscribe('E503', 'a ticker stream carries no symbol', 'ticker@1s@btcusdt'),
  subscribe('E503', 'there is no depth stream', 'depth@btcusdt'),
  {
    row: 'E504',
    title: 'what was not subscribed cannot be unsubscribed',
    message: { id: 4, method: 'UNSUBSCRIBE', params: ['kline@1m@btcusdt'] },
    method: 'UNSUBSCRIBE',
    id: 4,
    code: 400,
    msg: 'not subscribed: kline@1m@btcusdt',
  },
];

for (const { row, title, message, method, id, code, msg } of REFUSING) {
  streamErrors.add(
    row,
    title,
    async (venue) => {
      const stream = await openStreamOrFail(venue);
      const reply = await requestReply(venue, stream, message);
      const error = { code: new JsonNumber(String(code)), msg };
      const expected: Json = { method, id: new JsonNumber(String(id)), error };
      equal(reply, expected, 'the reply');
    },
    { readOnly: true },
  );
}

streamErrors.add(
  'E505',
  'the sixteenth subscription is refused',
  async (venue) => {
    const stream = await openStreamOrFail(venue);
    const names = Array.from({ length: 15 }, (_, index) => `kline@1m@coin${index}usdt`);
    await requestReply(venue, stream, { id: 1, method: SUBSCRIBE, params: names });
    const message = { id: 2, method: SUBSCRIBE, params: ['kline@1m@btcusdt'] };
    const expected: Json = {
      method: SUBSCRIBE,
      id: new JsonNumber('2'),
      error: { code: new JsonNumber('429'), msg: 'subscription limit reached' },
    };
    equal(await requestReply(venue, stream, message), expected, 'the reply');
  },
  { readOnly: true },
);
