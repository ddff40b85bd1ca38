import { expect, test } from 'vitest';
import { openTestSandbox } from '../../test/harness/test-sandbox.js';

const PATH = '/sandbox/secret';
const positionsWith = (sandbox: ReturnType<typeof openTestSandbox>['sandbox'], secret: string) =>
  sandbox.handle({
    method: 'GET',
    path: '/fapi/v1/futures/positions',
    query: '',
    headers: { 'x-authentication': secret },
    body: '',
  });

test('POST /sandbox/secret ends the key before it at once', async () => {
  const desk = openTestSandbox();
  const before = desk.sandbox.secret;
  expect((await desk.call('POST', PATH, { secret: 'another' })).status).toBe(200);
  expect(desk.sandbox.secret).toBe('another');
  expect(await positionsWith(desk.sandbox, before)).toMatchObject({ status: 401 });
  expect(await positionsWith(desk.sandbox, 'another')).not.toMatchObject({ status: 401 });
});

test.each([{}, { secret: '' }, { secret: 'a b' }, { secret: 'a\r\nb' }, { secret: 7 }])(
  'POST /sandbox/secret refuses %j',
  async (body) => {
    const desk = openTestSandbox();
    const before = desk.sandbox.secret;
    const [status, text] = await desk.refusal('POST', PATH, body);
    expect([status, text]).toEqual([400, expect.stringContaining('visible ASCII')]);
    expect(desk.sandbox.secret).toBe(before);
  },
);
