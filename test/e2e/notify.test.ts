import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

interface Body {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly items: readonly {
    readonly key: string;
    readonly state: string;
    readonly text: string;
  }[];
}

/** A receiver of webhooks, as a person would write one. */
class Receiver {
  readonly bodies: Body[] = [];
  readonly pings: string[] = [];
  unverified = 0;
  /** Never answers. */
  isStuck = false;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.method === 'GET') this.pings.push(request.url ?? '');
        else this.#onPost(request.headers, body);
        if (!this.isStuck) response.end();
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `raised latched_restriction:…` of the notices of a level. */
  of(level: string): readonly string[] {
    return this.bodies
      .filter((body) => body.level === level)
      .flatMap(({ items }) => items.map(({ key, state }) => `${state} ${key}`));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #onPost(headers: NodeJS.Dict<string | string[]>, body: string): void {
    const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
    const expected = createHmac('sha256', 'shared').update(`${id}.${timestamp}.${body}`);
    const isVerified = headers['webhook-signature'] === `v1,${expected.digest('base64')}`;
    if (!isVerified) this.unverified += 1;
    this.bodies.push(JSON.parse(body) as Body);
  }
}

let rig: DaemonRig;
let receiver: Receiver;
beforeAll(async () => {
  rig = await DaemonRig.open();
  receiver = new Receiver();
  await receiver.listen();
  writeFileSync(join(rig.folder.path, 'hook-secret'), 'shared\n', { mode: 0o600 });
}, 60_000);
afterAll(async () => {
  receiver.close();
  await rig.close();
});

function writeConfig(notify: string, leverage = ''): void {
  const text = rig
    .configText('bot')
    .replace('symbols: [BTCUSDT],', `symbols: [BTCUSDT], ${leverage}`);
  writeFileSync(rig.config, `${text}${notify}`);
}

const webhook = (): string =>
  `notify:
  webhook: { url: '${receiver.url}/hook', secret_file: hook-secret, allow_private: true }
  dead_man: { url: '${receiver.url}/alive', allow_private: true }
`;

const LATCHED = ['BTCUSDT', 'ETHUSDT'].map((symbol) => `latched_restriction:R15:${symbol}`);

describe('the alerts of a daemon', () => {
  it('a latched restriction arrives once as a page, its end arrives, and start and stop are messages', async () => {
    writeConfig(webhook(), 'leverage: 2,');
    await rig.faults([
      { on: 'POST /futures/*/leverage', fault: 'reject(leverage out of permissible range)' },
    ]);
    const daemon = rig.start();
    await vi.waitFor(
      () => {
        expect(receiver.of('page')).toEqual(LATCHED.map((key) => `raised ${key}`));
      },
      { timeout: 60_000, interval: 100 },
    );
    const page = receiver.bodies.find(({ level }) => level === 'page');
    expect(page?.text).toContain('sluice resume BTCUSDT');
    await vi.waitFor(
      () => {
        expect(receiver.of('message')).toContain('happened started');
      },
      { timeout: 60_000, interval: 100 },
    );

    await rig.faults([]);
    for (const symbol of ['BTCUSDT', 'ETHUSDT'])
      await vi.waitFor(
        async () => {
          // The first one sets the leverage again; the next one finds it right.
          const resumed = await rig.run('resume', symbol);
          expect(resumed.exitCode, resumed.stderr).toBe(0);
        },
        { timeout: 30_000, interval: 500 },
      );
    await vi.waitFor(
      () => {
        const ends = LATCHED.map((key) => `resolved ${key}`);
        expect(receiver.of('message')).toEqual(expect.arrayContaining(ends));
      },
      { timeout: 60_000, interval: 200 },
    );
    await vi.waitFor(
      () => {
        expect(receiver.pings).toContain('/alive');
      },
      { timeout: 90_000, interval: 200 },
    );
    daemon.press();
    await daemon.ended;
    expect(receiver.of('message').at(-1)).toBe('happened stopped');
    expect(receiver.of('page')).toEqual(LATCHED.map((key) => `raised ${key}`));
    expect(receiver.unverified).toBe(0);
    expect(new Set(receiver.bodies.map(({ id }) => id)).size).toBe(receiver.bodies.length);
    const times = JSON.parse(readFileSync(join(rig.stateDir, 'pages.json'), 'utf8')) as {
      pages: number[];
    };
    // Both symbols are one page when one look at the state finds both.
    const pages = receiver.bodies.filter(({ level }) => level === 'page');
    expect(times.pages).toHaveLength(pages.length);
  }, 240_000);

  it('a webhook that never answers delays neither orders nor the end of the run', async () => {
    receiver.isStuck = true;
    writeConfig(webhook());
    const daemon = rig.start();
    await rig.trading();
    const before = performance.now();
    daemon.press();
    const { exitCode } = await daemon.ended;
    expect(exitCode).toBe(0);
    expect(performance.now() - before).toBeLessThan(30_000);
    receiver.isStuck = false;
  }, 120_000);
});

describe('sluice notify test', () => {
  const test = (...args: readonly string[]) =>
    runSluice(['notify', 'test', '--config', rig.config, ...args]);

  it('sends one notice of each level by every channel and reports each', async () => {
    const script = join(rig.folder.path, 'alert.sh');
    const out = join(rig.folder.path, 'alerts');
    writeFileSync(script, `#!/bin/sh\ncat >> '${out}'\n`);
    chmodSync(script, 0o700);
    writeConfig(`${webhook()}  command: { run: [./alert.sh], levels: [page] }\n`);
    receiver.bodies.length = 0;
    const { exitCode, stdout } = await test();
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ +/)),
    ).toEqual([
      ['webhook', 'page', 'accepted'],
      ['webhook', 'message', 'accepted'],
      ['webhook', 'digest', 'accepted'],
      ['command', 'page', 'accepted'],
      ['dead_man', '–', 'accepted'],
    ]);
    expect(exitCode).toBe(0);
    expect(receiver.bodies.map(({ level }) => level)).toEqual(['page', 'message', 'digest']);
    expect((JSON.parse(readFileSync(out, 'utf8')) as Body).level).toBe('page');
  });

  it('names each channel that fails, with exit code 1', async () => {
    writeConfig(`notify:
  webhook: { url: 'https://localhost.localdomain.invalid/', secret_file: hook-secret, levels: [page] }
  command: { run: [/bin/false], levels: [message] }
`);
    const { exitCode, stdout } = await test('--json');
    expect(exitCode).toBe(1);
    const { results } = JSON.parse(stdout) as {
      results: { channel: string; delivered: boolean; error: string }[];
    };
    expect(results.map(({ channel, delivered }) => [channel, delivered])).toEqual([
      ['webhook', false],
      ['command', false],
    ]);
    expect(results[1]?.error).toBe('/bin/false: exit code 1');
  });

  it('a secret file that others may read, and a file without the section, end it with code 2', async () => {
    writeFileSync(join(rig.folder.path, 'open-secret'), 'shared');
    chmodSync(join(rig.folder.path, 'open-secret'), 0o644);
    writeConfig(`notify: { webhook: { url: 'https://a.example/', secret_file: open-secret } }\n`);
    const open = await test();
    expect([open.exitCode, open.stderr]).toEqual([2, expect.stringContaining('chmod 600')]);
    writeConfig('');
    const none = await test();
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      expect.stringContaining('has no notify section'),
    ]);
    expect(existsSync(rig.config)).toBe(true);
  });
});
