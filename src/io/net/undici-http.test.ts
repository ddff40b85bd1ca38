import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { TransportError, type HttpRequest } from '../../core/ports.js';
import { createUndiciHttp, type UndiciHttp, type UndiciHttpOptions } from './undici-http.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function client(options: UndiciHttpOptions = {}): UndiciHttp {
  const http = createUndiciHttp(options);
  closing.push(() => http.close());
  return http;
}

interface Seen {
  readonly requests: IncomingMessage[];
  readonly origin: string;
  readonly server: Server;
}

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Seen> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { requests, origin: `http://127.0.0.1:${port}`, server };
}

const get = (url: string, timeoutMs = 5_000): HttpRequest => ({
  method: 'GET',
  url,
  headers: { 'x-authentication': 'canary' },
  timeoutMs,
});
const post = (url: string, timeoutMs = 5_000): HttpRequest => ({
  ...get(url, timeoutMs),
  method: 'POST',
  body: '{}',
});

const failureOf = async (exchange: Promise<unknown>): Promise<TransportError> => {
  const error: unknown = await exchange.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TransportError);
  return error as TransportError;
};

describe('the HTTP client', () => {
  it('the client sends method, path, query, headers and body as given and reads status, headers and body', async () => {
    let body = '';
    const { requests, origin } = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.writeHead(202, { 'X-Kind': 'a' }).end('{"ok":"₹"}'));
    });
    const response = await client().request({
      ...post(`${origin}/a/b?c=d%2Fe`),
      headers: { 'content-type': 'application/json' },
      body: '{"q":"0.1"}',
    });
    expect(response).toMatchObject({ status: 202, body: '{"ok":"₹"}' });
    expect(response.headers['x-kind']).toBe('a');
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/a/b?c=d%2Fe' });
    expect(body).toBe('{"q":"0.1"}');
  });

  it.each([301, 302, 303, 307, 308])(
    'a %i is returned as it is: the other origin gets no request',
    async (status) => {
      const other = await serve((_, response) => response.end('{}'));
      const { origin } = await serve((_, response) =>
        response.writeHead(status, { location: `${other.origin}/stolen` }).end(),
      );
      const response = await client().request(post(`${origin}/order`));
      expect(response.status).toBe(status);
      expect(other.requests).toHaveLength(0);
    },
  );

  it('the client requests no compression and refuses a compressed response', async () => {
    const { requests, origin } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}')),
    );
    const error = await failureOf(client().request(get(origin)));
    expect(requests[0]?.headers['accept-encoding']).toBe('identity');
    expect(error.sent).toBe(true);
    expect(error.message).toContain('gzip');
  });

  it.each(['GET', 'POST', 'PATCH', 'DELETE'] as const)(
    'a %s is sent exactly once when the server destroys the socket without a response',
    async (method) => {
      let calls = 0;
      const { requests, origin } = await serve((request, response) => {
        calls += 1;
        if (calls === 1) response.end('{}');
        else request.socket.destroy();
      });
      const http = client();
      // The first response leaves a kept-alive socket, on which the second request fails.
      await http.request(get(`${origin}/first`));
      const error = await failureOf(http.request({ ...get(`${origin}/second`), method }));
      expect(error.sent).toBe(true);
      expect(requests.map(({ url }) => url)).toEqual(['/first', '/second']);
    },
  );

  it('a truncated response fails the request as sent', async () => {
    const { origin } = await serve((request, response) => {
      response.writeHead(202, { 'content-length': '100' });
      response.write('{"success":true');
      setImmediate(() => request.socket.destroy());
    });
    expect((await failureOf(client().request(post(origin)))).sent).toBe(true);
  });

  it('the client stops reading at the size limit and serves the next request', async () => {
    const { origin } = await serve((request, response) =>
      response.end(request.url === '/big' ? 'x'.repeat(4_096) : '{}'),
    );
    const http = client({ maxBodyBytes: 1_024 });
    const error = await failureOf(http.request(get(`${origin}/big`)));
    expect(error).toMatchObject({ sent: true, message: 'the response is larger than 1024 bytes' });
    expect((await http.request(get(`${origin}/small`))).body).toBe('{}');
  });

  it('the time-out covers the whole exchange: a slow body as well as a slow head', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/body') response.writeHead(200).write('{');
    });
    const http = client();
    for (const path of ['/head', '/body']) {
      const error = await failureOf(http.request(get(`${origin}${path}`, 60)));
      expect(error).toMatchObject({ sent: true, message: 'no complete response within 60 ms' });
    }
  });

  it('a request that timed out while it waited for a socket is never sent', async () => {
    const held: ServerResponse[] = [];
    const { requests, origin } = await serve((_, response) => held.push(response));
    const http = client({ connectionsPerOrigin: 1 });
    const first = http.request(get(`${origin}/first`));
    const given = await failureOf(http.request(post(`${origin}/given-up`, 60)));
    expect(given.sent).toBe(false);
    held[0]?.end('{}');
    await first;
    const third = http.request(get(`${origin}/third`));
    while (held.length < 2) await new Promise((resolve) => setImmediate(resolve));
    held[1]?.end('{}');
    await third;
    expect(requests.map(({ url }) => url)).toEqual(['/first', '/third']);
  });

  it('a refused connection is reported as not sent', async () => {
    const { origin, server } = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const error = await failureOf(client().request(post(origin)));
    expect(error.sent).toBe(false);
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('a failed TLS handshake is reported as not sent', async () => {
    const received: Buffer[] = [];
    const plain = createTcpServer((socket: Socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received.push(chunk);
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => plain.close(resolve)));
    const { port } = plain.address() as AddressInfo;
    const error = await failureOf(client().request(post(`https://127.0.0.1:${port}/order`)));
    expect(error.sent).toBe(false);
    expect(Buffer.concat(received).toString('latin1')).not.toContain('canary');
  });

  it('a header with a line break is refused before any byte is sent', async () => {
    const { requests, origin } = await serve((_, response) => response.end());
    const request = { ...get(origin), headers: { 'x-authentication': 'a\r\nx-other: b' } };
    expect((await failureOf(client().request(request))).sent).toBe(false);
    expect(requests).toHaveLength(0);
  });

  it('the client ignores proxy variables', async () => {
    const proxy = await serve((_, response) => response.end('proxy'));
    const { origin } = await serve((_, response) => response.end('direct'));
    const before = process.env['HTTP_PROXY'];
    process.env['HTTP_PROXY'] = proxy.origin;
    try {
      expect((await client().request(get(origin))).body).toBe('direct');
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY'];
      else process.env['HTTP_PROXY'] = before;
    }
    expect(proxy.requests).toHaveLength(0);
  });

  it('a closed client sends no request', async () => {
    const { requests, origin } = await serve((_, response) => response.end('{}'));
    const http = client();
    await http.close();
    expect((await failureOf(http.request(get(origin)))).sent).toBe(false);
    expect(requests).toHaveLength(0);
  });
});
