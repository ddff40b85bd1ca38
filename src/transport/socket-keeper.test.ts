import { describe, expect, it } from 'vitest';
import type { Net, SocketHandlers } from '../core/ports.js';
import { ConnectionBudget } from './connection-budget.js';
import { keepSocket, type SocketEvent } from './socket-keeper.js';
import { constantRandom, memoryLogger, VirtualTime } from '../../test/harness/virtual-ports.js';

interface Peer extends SocketHandlers {
  readonly at: number;
  readonly sent: string[];
  pings: number;
  closed: boolean;
}

function setUp(onConnect: (peer: Peer) => void = () => undefined) {
  const time = new VirtualTime();
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
  const source = keepSocket({ url: 'ws://127.0.0.1:1', net, connections, ...ports });
  const subscribe = () => source.subscribe((event) => events.push(event));
  const kinds = (): string[] => events.map(({ kind }) => kind);
  return { time, peers, events, kinds, subscribe };
}

describe('the socket keeper', () => {
  it('connects only when subscribed, and tells what it hears', async () => {
    const { time, peers, events, subscribe } = setUp();
    await time.advance(1_000);
    expect(peers).toHaveLength(0);
    subscribe();
    await time.advance(0);
    peers[0]?.onOpen();
    peers[0]?.onMessage('hello');
    expect(events).toMatchObject([{ kind: 'open' }, { kind: 'text', text: 'hello' }]);
  });

  it('pings every 20 s and stays while the peer answers', async () => {
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

  it('gives up a peer that was silent for 30 s, and connects again', async () => {
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

  it('gives up a handshake that never ends', async () => {
    const { time, peers, kinds, subscribe } = setUp();
    subscribe();
    await time.advance(32_000);
    expect(kinds()).toEqual(['closed']);
    expect(peers).toHaveLength(2);
  });

  it('backs off, further each time, within the connection budget', async () => {
    const { time, peers, subscribe } = setUp((peer) => peer.onClose('refused'));
    subscribe();
    await time.advance(15 * 60_000);
    const gaps = peers.slice(1).map(({ at }, index) => at - (peers[index]?.at ?? 0));
    expect(gaps.slice(0, 6)).toEqual([999, 1_998, 3_996, 7_992, 15_984, 31_968]);
    expect(Math.max(...gaps)).toBe(59_940);
    for (const { at } of peers) {
      const near = peers.filter((other) => other.at >= at && other.at < at + 60_000);
      expect(near.length).toBeLessThanOrEqual(8);
    }
  });

  it('does not forget its back-off for a peer that accepts and hangs up', async () => {
    const { time, peers, subscribe } = setUp((peer) => {
      peer.onOpen();
      peer.onClose('bye');
    });
    subscribe();
    await time.advance(60_000);
    expect(peers.length).toBeLessThanOrEqual(7);
  });

  it('starts its back-off anew after a connection that held', async () => {
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

  it('ends a connection on request and does not hear it any more', async () => {
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

  it('closes on unsubscribe, leaves no timer, and is silent afterwards', async () => {
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

  it('does not connect when unsubscribed while it waited for the budget', async () => {
    const { time, peers, subscribe } = setUp();
    subscribe().unsubscribe();
    await time.advance(60_000);
    expect(peers).toHaveLength(0);
  });
});
