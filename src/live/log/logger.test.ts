import { expect, test } from 'vitest';
import { createLogger, type LoggerOptions } from './logger.js';

const CANARY = 'canary+se/cret"1';

async function logged(
  options: Partial<LoggerOptions>,
  log: (logger: Awaited<ReturnType<typeof createLogger>>) => void,
): Promise<string> {
  let output = '';
  const write = (text: string): void => void (output += text);
  log(await createLogger({ level: 'info', write, pretty: false, ...options }));
  return output;
}

test('the logger writes one JSON object per line, with level, time and fields', async () => {
  const output = await logged({}, (logger) => {
    logger.info({ symbol: 'BTCUSDT' }, 'filled');
    logger.error({}, 'halted');
  });
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      symbol: 'BTCUSDT',
      msg: 'filled',
    },
    expect.objectContaining({ level: 'error', msg: 'halted' }),
  ]);
});

test.each([
  ['debug', 4],
  ['info', 3],
  ['warn', 2],
  ['error', 1],
  ['silent', 0],
] as const)('at level %s writes %i of four levels', async (level, count) => {
  const output = await logged({ level }, (logger) => {
    logger.debug({}, 'a');
    logger.info({}, 'b');
    logger.warn({}, 'c');
    logger.error({}, 'd');
  });
  expect(output.split('\n').length - 1).toBe(count);
});

const places: readonly [string, Readonly<Record<string, unknown>>, string][] = [
  ['the message', {}, `got ${CANARY} from the venue`],
  ['a field', { body: `{"key":"${CANARY}"}` }, 'x'],
  ['a field deep inside', { a: { b: [{ c: CANARY }] } }, 'x'],
  ['the name of a field', { [CANARY]: 1 }, 'x'],
  ['an error', { error: new Error(`bad header ${CANARY}`) }, 'x'],
  ['the cause of an error', { error: new Error('x', { cause: new Error(CANARY) }) }, 'x'],
  ['a URL', { url: `https://x/?k=${encodeURIComponent(CANARY)}` }, 'x'],
  ['base64', { header: Buffer.from(CANARY).toString('base64') }, 'x'],
  ['hex', { bytes: Buffer.from(CANARY).toString('hex') }, 'x'],
];
const forms = [
  CANARY,
  JSON.stringify(CANARY).slice(1, -1),
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64'),
  Buffer.from(CANARY).toString('hex'),
];

test.each(places)('the log shows no secret through %s', async (_, fields, message) => {
  for (const pretty of [true, false]) {
    const output = await logged({ pretty, secrets: [CANARY], stacks: true }, (logger) => {
      logger.info(fields, message);
    });
    expect(output).not.toBe('');
    for (const form of forms) expect(output).not.toContain(form);
  }
});

test('fields known to hold secrets are hidden even when the secret is unknown', async () => {
  const output = await logged({}, (logger) => {
    logger.info(
      { secret: 'abc', request: { headers: { 'X-Authentication': 'abc' } }, api_secret: 'abc' },
      'x',
    );
  });
  expect(output).not.toContain('abc');
  expect(output).toContain('[redacted]');
});

test('an empty secret hides nothing', async () => {
  const output = await logged({ secrets: [''] }, (logger) => {
    logger.info({}, 'as it is');
  });
  expect(output).toContain('as it is');
});

test('errors show name, message and code, and their stack on request only', async () => {
  const error = Object.assign(new RangeError('too far'), { code: 'EFAR', request: { big: 1 } });
  const log = (logger: {
    info: (fields: Record<string, unknown>, message: string) => void;
  }): void => {
    logger.info({ error }, 'x');
  };
  const [short, long] = [await logged({}, log), await logged({ stacks: true }, log)];
  expect((JSON.parse(short) as { error: unknown }).error).toEqual({
    name: 'RangeError',
    message: 'too far',
    code: 'EFAR',
  });
  expect(long).toContain('logger.test');
});

test('external text cannot control the terminal', async () => {
  const output = await logged({ pretty: true }, (logger) => {
    logger.warn(
      { reason: '\u001b[2Jgone\nINFO: all is well' },
      'venue says \u001b[2J\nINFO: all is well',
    );
  });
  expect(output.trimEnd().split('\n')).toHaveLength(1);
  expect(output).not.toContain('\u001b');
  expect(output).toContain('venue says');
});
