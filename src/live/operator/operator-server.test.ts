import { describe, expect, it } from 'vitest';
import { ManualTime, settle } from '../../../test/support/fakes/manual-ports.js';
import type { LocalConnection, LocalConnectionHandlers } from '../../core/ports.js';
import { OperatorRequestError, type OperatorRequest } from './operator-protocol.js';
import { OperatorServer } from './operator-server.js';

/** A client whose connection the test holds. */
class Client implements LocalConnection {
  pendingBytes = 0;
  received = '';
  ended: 'closed' | 'aborted' | undefined;
  handlers: LocalConnectionHandlers | undefined;

  send(text: string): void {
    this.received += text;
  }
  close(): void {
    this.#end('closed');
  }
  abort(): void {
    this.#end('aborted');
  }
  write(text: string): void {
    this.handlers?.onText(text);
  }
  get replies(): readonly Record<string, unknown>[] {
    return this.received
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
  #end(how: 'closed' | 'aborted'): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    this.handlers?.onClose();
  }
}

class ServerRig {
  readonly time = new ManualTime();
  readonly asked: OperatorRequest[] = [];
  readonly server: OperatorServer;

  constructor(
    answer: (request: OperatorRequest) => Promise<unknown> = () => Promise.resolve('ok'),
  ) {
    this.server = new OperatorServer({
      clock: this.time,
      scheduler: this.time,
      answer: (request) => {
        this.asked.push(request);
        return answer(request);
      },
    });
  }

  connect(): Client {
    const client = new Client();
    client.handlers = this.server.accept(client);
    return client;
  }
}

const status = (id: number): string => `{"v":1,"id":${id},"command":"status"}\n`;

describe('the operator channel of a daemon', () => {
  it('a request is answered with its id, also when it arrives in pieces', async () => {
    const rig = new ServerRig();
    const client = rig.connect();
    client.write('{"v":1,"id":"a","comm');
    client.write('and":"status","account":"demo"}\n');
    await settle();
    expect(rig.asked).toEqual([{ command: 'status', account: 'demo' }]);
    expect(client.replies).toEqual([{ v: 1, id: 'a', ok: true, result: 'ok' }]);
  });

  it('a refused request and a failed one get an error, and the connection stays', async () => {
    const rig = new ServerRig(({ command }) => {
      if (command === 'kill') throw new Error('the disk is full');
      throw new OperatorRequestError('other-account', 'no');
    });
    const client = rig.connect();
    client.write(`${status(1)}{"v":1,"id":2,"command":"kill","level":"cancel"}\n`);
    await rig.time.advance(1_000);
    expect(client.replies).toMatchObject([
      { id: 1, ok: false, error: { code: 'other-account', message: 'no' } },
      { id: 2, ok: false, error: { code: 'failed', message: 'the disk is full' } },
    ]);
    expect(client.ended).toBeUndefined();
  });

  it('a line that is not JSON ends its connection, and no request of the same text is answered', async () => {
    const rig = new ServerRig();
    const client = rig.connect();
    client.write(`nonsense\n${status(1)}`);
    await rig.time.advance(1_000);
    expect(client.replies).toMatchObject([{ id: null, error: { code: 'bad-json' } }]);
    expect([client.ended, rig.asked]).toEqual(['closed', []]);
  });

  it.each([4_096, 4_097])('a line of %i characters without an end', (length) => {
    const client = new ServerRig().connect();
    client.write('x'.repeat(length));
    expect(client.ended).toBe(length > 4_096 ? 'closed' : undefined);
  });

  it.each([16, 17])('%i requests at once', async (count) => {
    const rig = new ServerRig();
    const client = rig.connect();
    client.write(Array.from({ length: count }, (_, id) => status(id)).join(''));
    await rig.time.advance(10_000);
    if (count === 16) expect(client.replies).toHaveLength(16);
    else expect(client.replies).toMatchObject([{ error: { code: 'busy' } }]);
    expect(client.ended).toBe(count === 16 ? undefined : 'closed');
  });

  it('a client gets at most fifty answers a second', async () => {
    const rig = new ServerRig();
    const client = rig.connect();
    client.write(status(1) + status(2) + status(3));
    await settle();
    expect(client.replies).toHaveLength(1);
    await rig.time.advance(19);
    expect(client.replies).toHaveLength(1);
    await rig.time.advance(1);
    expect(client.replies).toHaveLength(2);
  });

  it.each([1_000_000, 1_000_001])('a client that has not read %i bytes', async (pendingBytes) => {
    const client = new ServerRig().connect();
    client.pendingBytes = pendingBytes;
    client.write(status(1));
    await settle();
    expect(client.ended).toBe(pendingBytes > 1_000_000 ? 'aborted' : undefined);
  });

  it('a silent client is dropped after a minute', async () => {
    const rig = new ServerRig();
    const client = rig.connect();
    await rig.time.advance(59_999);
    expect(client.ended).toBeUndefined();
    await rig.time.advance(1);
    expect(client.ended).toBe('closed');
    expect(rig.time.pendingTimers).toBe(0);
  });

  it('silent clients never keep an operator out: the quietest makes room', async () => {
    const rig = new ServerRig();
    const clients = Array.from({ length: 8 }, () => rig.connect());
    await rig.time.advance(10);
    clients[0]?.write(status(1));
    await rig.time.advance(10);
    const ninth = rig.connect();
    ninth.write(status(2));
    await settle();
    expect(ninth.replies).toMatchObject([{ id: 2, ok: true }]);
    expect(clients.map(({ ended }) => ended)).toEqual([
      undefined,
      'closed',
      ...Array.from({ length: 6 }, () => undefined),
    ]);
  });

  it.each([
    ['{"v":2,"id":1,"command":"status"}', 'bad-version'],
    ['{"id":1,"command":"status"}', 'bad-version'],
    ['{"v":1,"id":1}', 'unknown-command'],
    ['{"v":1,"id":1,"command":"toString"}', 'unknown-command'],
    ['{"v":1,"id":1,"command":"kill"}', 'bad-request'],
    ['{"v":1,"id":1,"command":"kill","level":"cancel","force":true}', 'bad-request'],
    ['{"v":1,"id":1,"command":"pause","until":"soon"}', 'bad-request'],
    ['{"v":1,"id":1,"command":"resume","symbol":""}', 'bad-request'],
  ])('%s is refused as %s', async (line, code) => {
    const rig = new ServerRig();
    const client = rig.connect();
    client.write(`${line}\n`);
    await settle();
    expect(client.replies).toMatchObject([{ id: 1, ok: false, error: { code } }]);
    expect(rig.asked).toEqual([]);
  });
});
