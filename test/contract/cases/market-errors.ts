import { CaseRegistry } from '../case-registry.js';
import { ensure, refused, type Refusal } from '../expect.js';
import { controlsOf, type VenueUnderTest } from '../venue-under-test.js';

export const marketErrors = new CaseRegistry();

export const PRICE = '/fapi/v1/price';
const KLINES = ['kline', 'mark-kline'] as const;

/** A range of the last hours. */
export async function lastHours(venue: VenueUnderTest, hours = 2): Promise<Record<string, string>> {
  const end = Math.floor((await venue.now()) / 1_000);
  return { start_time: String(end - hours * 3_600), end_time: String(end) };
}

type Query = Readonly<Record<string, string | undefined>>;

function refuses(row: string, expected: Refusal, title: string, change: Query): void {
  for (const kind of KLINES) {
    marketErrors.add(
      row,
      `${kind}: ${title}`,
      async (venue) => {
        const whole: Query = {
          assets: 'btc/usdt',
          aggregation: '1m',
          ...(await lastHours(venue)),
          ...change,
        };
        const query = Object.fromEntries(
          Object.entries(whole).filter(
            (entry): entry is [string, string] => entry[1] !== undefined,
          ),
        );
        refused(await venue.call('GET', `${PRICE}/${kind}`, { query }), expected);
      },
      { readOnly: true },
    );
  }
}

const no = (text: string, status = 400): Refusal => ({ status, text });

refuses('E401', no('assets are required'), 'assets must be there', { assets: undefined });
refuses('E401', no('assets are required'), 'assets must not be empty', { assets: '' });

const MANY = Array.from({ length: 26 }, (_, index) => `a${index}/usdt`).join(',');
refuses('E402', no('allowed assets size is 25'), '26 symbols are too many', { assets: MANY });

for (const aggregation of ['2m', '1M', 'minute', '60']) {
  refuses('E403', no('aggregation not supported'), `${aggregation} is not an interval`, {
    aggregation,
  });
}

const NOT_POSITIVE = no('start and end time should be greater than 0');
refuses('E404', NOT_POSITIVE, 'start_time must be there', { start_time: undefined });
refuses('E404', NOT_POSITIVE, 'end_time must be there', { end_time: undefined });
refuses('E404', NOT_POSITIVE, 'start_time must be above zero', { start_time: '0' });
refuses('E404', NOT_POSITIVE, 'end_time must be above zero', { end_time: '-1' });

const ORDER = no('end time should be greater than start time');
refuses('E405', ORDER, 'an end before the start is refused', {
  start_time: '1700000060',
  end_time: '1700000000',
});
refuses('E405', ORDER, 'an end at the start is refused', {
  start_time: '1700000000',
  end_time: '1700000000',
});

refuses('E406', no('invalid assets'), 'a symbol without a slash is refused', {
  assets: 'btcusdt',
});
refuses('E407', no('asset not found', 404), 'an unknown symbol is 404', {
  assets: 'nosuch/usdt',
});

marketErrors.add(
  'E408',
  'more than 300 requests a minute are refused',
  async (venue) => {
    const answers = [];
    for (let sent = 0; sent < 310; sent += 10) {
      const burst = Array.from({ length: 10 }, () => venue.call('GET', `${PRICE}/kline`));
      answers.push(...(await Promise.all(burst)));
    }
    const over = answers.find((answer) => answer.status === 429);
    ensure(over !== undefined, 'one of 310 requests is over the limit of 300 a minute');
    refused(over, no('Rate limit exceeded', 429));
  },
  { readOnly: true, limits: true },
);

for (const kind of KLINES) {
  marketErrors.add('E409', `${kind}: an internal error is a 500 in the envelope`, async (venue) => {
    const controls = controlsOf(venue);
    await controls.faults([{ on: `GET /price/${kind}`, fault: '500_before' }]);
    const query = { assets: 'btc/usdt', aggregation: '1m', ...(await lastHours(venue)) };
    const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
    refused(answer, no('something went wrong', 500));
  });
}
