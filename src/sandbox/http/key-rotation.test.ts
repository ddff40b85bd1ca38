import { expect, test } from 'vitest';
import { openTestSandbox } from '../../../test/support/rigs/test-sandbox.js';

const PATH = '/sandbox/secret';
const positionsWith = (sandbox: ReturnType<typeof openTestSandbox>['sandbox'], secret: string) =>
  sandbox.handle({
    method: 'GET',
    path: '/fapi/v1/futures/positions',
    query: '',
    headers: { 'x-authentication': secret },
    body: '',
  });

test('POST /sandbox/secret invalidates the previous key at once', async () => {
  const testSandbox = openTestSandbox();
  const before = testSandbox.sandbox.secret;
  expect((await testSandbox.call('POST', PATH, { secret: 'another' })).status).toBe(200);
  expect(testSandbox.sandbox.secret).toBe('another');
  expect(await positionsWith(testSandbox.sandbox, before)).toMatchObject({ status: 401 });
  expect(await positionsWith(testSandbox.sandbox, 'another')).not.toMatchObject({ status: 401 });
});

test.each([{}, { secret: '' }, { secret: 'a b' }, { secret: 'a\r\nb' }, { secret: 7 }])(
  'POST /sandbox/secret refuses %j',
  async (body) => {
    const testSandbox = openTestSandbox();
    const before = testSandbox.sandbox.secret;
    const [status, text] = await testSandbox.refusal('POST', PATH, body);
    expect([status, text]).toEqual([400, expect.stringContaining('visible ASCII')]);
    expect(testSandbox.sandbox.secret).toBe(before);
  },
);
