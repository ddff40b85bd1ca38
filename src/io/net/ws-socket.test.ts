import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { createNodeNet } from './node-net.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(onPeer: (peer: WebSocket) => void, options = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  server.on('connection', onPeer);
  await new Promise((resolve) => server.on('listening', resolve));
  closing.push(() => {
    for (const peer of server.clients) peer.terminate();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connect(url: string) {
  const received: string[] = [];
  let opened: () => void = () => undefined;
  const open = new Promise<void>((resolve) => (opened = resolve));
  let ended: (reason: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => (ended = resolve));
  let alive: () => void = () => undefined;
  const pong = new Promise<void>((resolve) => (alive = resolve));
  const socket = createNodeNet().connect(url, {
    onOpen: opened,
    onMessage: (text) => received.push(text),
    onAlive: alive,
    onClose: ended,
  });
  closing.push(() => socket.close());
  return { socket, received, open, closed, pong };
}

describe('the WebSocket client', () => {
  it('the client opens, sends and receives text, and reports a pong', async () => {
    const url = await serve((peer) =>
      peer.on('message', (data: Buffer) => peer.send(`re ${data}`)),
    );
    const { socket, received, open, pong } = connect(url);
    await open;
    socket.send('a');
    socket.ping();
    await pong;
    expect(received).toEqual(['re a']);
  });

  it('the client offers no compression', async () => {
    let offered: string | undefined = 'nothing seen';
    const verifyClient = ({ req }: { req: { headers: Record<string, string | undefined> } }) => {
      offered = req.headers['sec-websocket-extensions'];
      return true;
    };
    await connect(await serve(() => undefined, { verifyClient, perMessageDeflate: true })).open;
    expect(offered).toBeUndefined();
  });

  it('a binary frame closes the connection', async () => {
    const { received, closed } = connect(await serve((peer) => peer.send(Buffer.from([1, 2]))));
    expect(await closed).toBe('a binary frame arrived');
    expect(received).toEqual([]);
  });

  it('a frame above 1 MiB closes the connection', async () => {
    const { received, closed } = connect(await serve((peer) => peer.send('x'.repeat(1_048_577))));
    expect(await closed).toContain('Max payload size exceeded');
    expect(received).toEqual([]);
  });

  it('the close reason names the status of a refused handshake', async () => {
    const verifyClient = (_: unknown, decide: (ok: boolean, code: number) => void) =>
      decide(false, 429);
    const { closed } = connect(await serve(() => undefined, { verifyClient }));
    expect(await closed).toContain('429');
  });

  it('the close reason holds the code and reason of the peer, or its loss', async () => {
    const polite = connect(await serve((peer) => peer.close(1001, 'bye')));
    expect(await polite.closed).toBe('closed with code 1001: bye');
    const rude = connect(await serve((peer) => peer.terminate()));
    expect(await rude.closed).toBe('closed with code 1006');
  });

  it('a refused connection is reported as a close', async () => {
    const { closed } = connect('ws://127.0.0.1:1');
    expect(await closed).toContain('ECONNREFUSED');
  });
});
