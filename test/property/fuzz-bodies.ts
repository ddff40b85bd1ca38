import fc from 'fast-check';

/** A member of a body as JSON text, which can also express values that JavaScript cannot. */
const jsonText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('0.01', '"0.01"', '"60000"', '50000', '"5"', '5', '0.001'),
  },
  { weight: 4, arbitrary: fc.constantFrom('true', 'true', 'false', 'null') },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      '"LONG"',
      '"SHORT"',
      '"MARKET"',
      '"LIMIT"',
      '"USDT"',
      '"INR"',
      '"SPOT"',
      '"FUTURES"',
      '"ISOLATED"',
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '1e-3',
      '1E4',
      '1e400',
      '-1e400',
      '1e-400',
      '0',
      '-0.01',
      '"NaN"',
      '"Infinity"',
      '""',
      '" "',
      '"1e5"',
      '"0x10"',
      '"EUR"',
      '99999999999999999999',
      '0.123456789012345678901',
      '"90071992.54740991"',
      '"90071992547.40991"',
      '[]',
      '[1]',
      '{}',
      '{"a":{"b":[1e5]}}',
      '"constructor"',
      '"\\u0000number"',
    ),
  },
  { weight: 1, arbitrary: fc.double().map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string().map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)) },
);

const FIELDS = [
  'trade_currency',
  'trigger_type',
  'order_type',
  'quantity',
  'order_price',
  'is_stoploss',
  'stoploss_price',
  'is_takeprofit',
  'takeprofit_price',
  'reduce_only',
  'client_order_id',
  'leverage',
  'margin_type',
  'margin',
  'from_wallet_type',
  'to_wallet_type',
  'amount',
  'limit_price',
  'stoploss_order_id',
  'takeprofit_order_id',
  'stoploss_client_order_id',
  'takeprofit_client_order_id',
  'desired_amount',
  '__proto__',
  'toString',
] as const;

type Members = readonly (readonly [string, string])[];

const MARKET: Members = [
  ['trigger_type', '"MARKET"'],
  ['order_type', '"LONG"'],
  ['quantity', '"0.01"'],
];
const LIMIT: Members = [
  ['trigger_type', '"LIMIT"'],
  ['order_type', '"SHORT"'],
  ['quantity', '0.01'],
  ['order_price', '61000'],
];
const STOP: Members = [
  ['is_stoploss', 'true'],
  ['stoploss_price', '"56000"'],
];
const TRANSFER: Members = [
  ['from_wallet_type', '"SPOT"'],
  ['to_wallet_type', '"FUTURES"'],
  ['amount', '"10"'],
];

/** Valid bodies by the last segment of the path; `any` for other paths. */
const VALID: Readonly<Record<string, readonly Members[]>> = {
  order: [
    [...MARKET, ['leverage', '4'], ['order_price', '60000']],
    [...LIMIT, ['leverage', '"6"'], ['trade_currency', '"INR"']],
    [...MARKET, ['trade_currency', '"INR"']],
    [...MARKET, ['client_order_id', '"id-1"']],
    [...LIMIT, ['client_order_id', '"id-2"']],
    [...LIMIT, ['reduce_only', 'true']],
    [...MARKET, ...STOP, ['is_takeprofit', 'true'], ['takeprofit_price', '70000']],
  ],
  '{order}': [
    [
      ['order_price', '"51000"'],
      ['quantity', '"0.01"'],
    ],
    [
      ['order_price', '58000.5'],
      ['quantity', '2e-2'],
    ],
  ],
  riskorder: [
    STOP,
    [...STOP, ['stoploss_client_order_id', '"id-3"']],
    [
      ['is_takeprofit', 'true'],
      ['takeprofit_price', '"66000"'],
    ],
  ],
  'add-margin': [[['margin', '2.5']], [['margin', '"-1"']]],
  partial: [
    [
      ['order_type', '"MARKET"'],
      ['quantity', '"0.001"'],
    ],
    [
      ['order_type', '"LIMIT"'],
      ['quantity', '"0.001"'],
      ['limit_price', '"61000"'],
    ],
  ],
  leverage: [[['leverage', '"7"']], [['leverage', '3.5']]],
  transfer: [TRANSFER],
  inr: [TRANSFER],
  any: [[], MARKET, STOP],
};

const clientId = fc.constantFrom('"id-1"', '"id-2"', '"id-3"', '""', '"a b"', '7');
const member = fc.tuple(fc.constantFrom(...FIELDS), fc.oneof(jsonText, clientId));
const asText = (members: Members): string =>
  `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

/** Valid bodies of a path, bodies with some members changed or added, and junk. */
export function bodyFor(path: string): fc.Arbitrary<string> {
  const last = path.split('/').at(-1) ?? '';
  // A random path may end in `constructor`, which every object has.
  const bodies = Object.hasOwn(VALID, last) ? VALID[last] : VALID['any'];
  const valid = fc.constantFrom(...(bodies ?? []));
  return fc.oneof(
    { weight: 8, arbitrary: valid.map(asText) },
    {
      weight: 8,
      arbitrary: fc
        .tuple(valid, fc.array(member, { maxLength: 3 }))
        .map(([members, more]) => asText([...members, ...more])),
    },
    { weight: 2, arbitrary: fc.array(member, { maxLength: 8 }).map(asText) },
    { weight: 2, arbitrary: fc.constantFrom(...JUNK) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );
}

const JUNK = ['', ' ', '{', '[]', 'null', '"x"', '{"a":NaN}', '{"a":1,}', '<html>', DEEP];
