import { describe, expect, it } from 'vitest';
import type { Net, SocketHandlers } from '../../core/ports.js';
import { ConnectionBudget } from './connection-budget.js';
import { reconnectingSocket, type SocketEvent } from './reconnecting-socket.js';
import {
  constantRandom,
  memoryLogger,
  ManualTime,
} from '../../../test/support/fakes/manual-ports.js';

interface Peer extends SocketHandlers {
  readonly at: number;
  readonly sent: string[];
  pings: number;
  closed: boolean;
}

function setUp(onConnect: (peer: Peer) => void = () => undefined) {
  const time = new ManualTime();
  const peers: Peer[] = [];
  const net: Net = {
    request: () => Promise.reject(new Error('no HTTP here')),
    connect(_url, handlers) {
      const peer: Peer = {
        ...handlers,
        at: time.monotonicMs(),
        sent: [],
        pings: 0,
        closed: false,
      };
      peers.push(peer);
      onConnect(peer);
      return {
        send: (text) => peer.sent.push(text),
        ping: () => (peer.pings += 1),
        close: () => (peer.closed = true),
      };
    },
  };
  const random = constantRandom(0.999);
  const ports = { clock: time, scheduler: time, random };
  const connections = new ConnectionBudget({ ...ports, logger: memoryLogger() });
  const events: SocketEvent[] = [];
  const source = reconnectingSocket({ url: 'ws://127.0.0.1:1', net, connections, ...ports });
  const subscribe = () => source.subscribe((event) => events.push(event));
  const kinds = (): string[] => events.map(({ kind }) => kind);
  return { time, peers, events, kinds, subscribe };
}

describe('the reconnecting socket', () => {
  it('the socket connects on subscription and emits every text', async () => {
    const { time, peers, events, subscribe } = setUp();
    await time.advance(1_000);
    expect(peers).toHaveLength(0);
    subscribe();
    await time.advance(0);
    peers[0]?.onOpen();
    peers[0]?.onMessage('hello');
    expect(events).toMatchObject([{ kind: 'open' }, { kind: 'text', text: 'hello' }]);
  });

  it('the socket pings every 20 s and stays open while the peer answers', async () => {
    const { time, peers, kinds, subscribe } = setUp();
    subscribe();
    await time.advance(0);
    peers[0]?.onOpen();
    for (let round = 1; round <= 10; round += 1) {
      await time.advance(20_000);
      expect(peers[0]?.pings).toBe(round);
      peers[0]?.onAlive();
    }
    expect(kinds()).toEqual(['open']);
  });

  it('the socket reconnects after 30 s without a frame', async () => {
    const { time, peers, events, subscribe } = setUp();
    subscribe();
    await time.advance(0);
    peers[0]?.onOpen();
    await time.advance(29_999);
    expect(events).toHaveLength(1);
    await time.advance(1);
    expect(events[1]).toEqual({ kind: 'closed', reason: 'nothing was heard for 30000 ms' });
    expect(peers[0]?.closed).toBe(true);
    await time.advance(1_000);
    expect(peers).toHaveLength(2);
  });

  it('the socket reconnects after a handshake without end', async () => {
    const { time, peers, kinds, subscribe } = setUp();
    subscribe();
    await time.advance(32_000);
    expect(kinds()).toEqual(['closed']);
    expect(peers).toHaveLength(2);
  });

  it('the back-off grows with each failure, within the connection budget', async () => {
    const { time, peers, subscribe } = setUp((peer) => peer.onClose('refused'));
    subscribe();
    await time.advance(15 * 60_000);
    const gaps = peers.slice(1).map(({ at }, index) => at - (peers[index]?.at ?? 0));
    expect(gaps.slice(0, 6)).toEqual([999, 1_998, 3_996, 7_992, 15_984, 29_970]);
    expect(Math.max(...gaps)).toBe(29_970);
    for (const { at } of peers) {
      const near = peers.filter((other) => other.at >= at && other.at < at + 60_000);
      expect(near.length).toBeLessThanOrEqual(8);
    }
  });

  it('the back-off is not reset by a peer that accepts and closes at once', async () => {
    const { time, peers, subscribe } = setUp((peer) => {
      peer.onOpen();
      peer.onClose('bye');
    });
    subscribe();
    await time.advance(60_000);
    expect(peers.length).toBeLessThanOrEqual(7);
  });

  it('the back-off is reset by a stable connection', async () => {
    const { time, peers, subscribe } = setUp();
    subscribe();
    await time.advance(0);
    for (let round = 0; round < 5; round += 1) {
      const peer = peers.at(-1);
      peer?.onOpen();
      await time.advance(20_000);
      peer?.onAlive();
      await time.advance(15_000);
      peer?.onClose('dropped');
      await time.advance(1_000);
      expect(peers).toHaveLength(round + 2);
    }
  });

  it('a recycled connection is closed and emits no more events', async () => {
    const { time, peers, events, kinds, subscribe } = setUp();
    subscribe();
    await time.advance(0);
    peers[0]?.onOpen();
    const [first] = events;
    if (first?.kind === 'open') first.recycle('bad frames');
    peers[0]?.onMessage('late');
    peers[0]?.onClose('late');
    if (first?.kind === 'open') first.send('late');
    expect(kinds()).toEqual(['open', 'closed']);
    expect(peers[0]).toMatchObject({ closed: true, sent: [] });
  });

  it('an unsubscribed socket closes, leaves no timer and emits no more events', async () => {
    const { time, peers, kinds, subscribe } = setUp();
    const subscription = subscribe();
    await time.advance(0);
    peers[0]?.onOpen();
    subscription.unsubscribe();
    peers[0]?.onMessage('late');
    peers[0]?.onClose('late');
    expect(peers[0]?.closed).toBe(true);
    expect(time.pendingTimers).toBe(0);
    await time.advance(600_000);
    expect(peers).toHaveLength(1);
    expect(kinds()).toEqual(['open']);
  });

  it('a socket that is unsubscribed while it waits for the budget does not connect', async () => {
    const { time, peers, subscribe } = setUp();
    subscribe().unsubscribe();
    await time.advance(60_000);
    expect(peers).toHaveLength(0);
  });
});
