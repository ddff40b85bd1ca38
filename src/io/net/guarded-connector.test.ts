import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUndiciHttp, type UndiciHttp } from './undici-http.js';

let server: Server;
let port = 0;
let requests = 0;
const open: UndiciHttp[] = [];

beforeAll(async () => {
  server = createServer((_request, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  for (const each of open) await each.close();
  server.close();
});

const request = (host: string, mayConnect: (address: string) => boolean) => {
  const http = createUndiciHttp({ mayConnect });
  open.push(http);
  return http.request({
    method: 'GET',
    url: `http://${host}:${port}/`,
    headers: {},
    timeoutMs: 3_000,
  });
};

it('a name is judged by the address that the socket connects to, not by its first answer', async () => {
  // The check of the resolver passes, as for a name that changes its address between check and use.
  const answers = await lookup('localhost', { all: true });
  let checks = 0;
  const rebinding = (): boolean => (checks += 1) <= answers.length;
  await expect(request('localhost', rebinding)).rejects.toMatchObject({ sent: false });
  expect(requests).toBe(0);
});

it('an allowed address is connected to, and the request is sent once', async () => {
  const seen: string[] = [];
  const { status } = await request('127.0.0.1', (address) => seen.push(address) > 0);
  expect([status, requests]).toEqual([200, 1]);
  expect(new Set(seen)).toEqual(new Set(['127.0.0.1']));
});
