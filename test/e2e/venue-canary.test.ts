import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { isField } from '../support/builders/quirks.js';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

type Edit = (text: string) => string;

/** Passes requests on to the sandbox, and edits the answers that people read as rules. */
class EditingProxy {
  edit: Edit = (text) => text;
  /** Status of every answer; undefined: that of the sandbox. */
  status: number | undefined;
  readonly methods = new Set<string>();
  readonly #server: Server;

  constructor(target: string) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void this.#pass(target, request, Buffer.concat(chunks)).then(({ status, type, text }) => {
          response.writeHead(this.status ?? status, { 'content-type': type });
          response.end(text);
        });
      });
    });
  }

  async #pass(
    target: string,
    { method = 'GET', url = '', headers }: IncomingMessage,
    body: Buffer,
  ) {
    this.methods.add(method);
    const own = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);
    const passed = Object.entries(headers as Record<string, string>).filter(
      ([key]) => !own.has(key),
    );
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: Object.fromEntries(passed),
      ...(body.length > 0 && { body }),
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    return { status: answer.status, type, text: this.edit(await answer.text()) };
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const CHANGED: Edit = (text) =>
  text
    .replaceAll(/"price_step":"[^"]+"/g, '"price_step":"0.5"')
    .replaceAll(/("trading_fee_perc":"?)[\d.]+/g, (_, key: string) => `${key}0.9`)
    .replaceAll(/"popularity":"(\d+)"/g, '"popularity":$1');

let rig: DaemonRig;
let proxy: EditingProxy;
const path = (name: string): string => join(rig.folder.path, name);
beforeAll(async () => {
  rig = await DaemonRig.open();
  proxy = new EditingProxy(rig.served.server.baseUrl);
  await proxy.listen();
  const config = rig.configText('bot').replace(rig.served.server.baseUrl, proxy.url);
  writeFileSync(rig.config, `${config}canary: { every: 10s }\n`);
}, 60_000);
afterAll(async () => {
  proxy.close();
  await rig.close();
});

describe('sluice probe --compare', () => {
  it('writes a file once, and names each rule, fee rate and shape that changes later', async () => {
    proxy.edit = (text) => text;
    const compare = ['--compare', path('answers.json')];
    const first = await rig.run('probe', ...compare);
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.stdout).toContain('written');
    const same = await rig.run('probe', ...compare);
    expect([same.exitCode, same.stdout]).toEqual([0, expect.stringMatching(/^unchanged since 20/)]);
    const written = readFileSync(path('answers.json'), 'utf8');

    proxy.edit = CHANGED;
    const changed = await rig.run('probe', ...compare);
    expect(changed.exitCode, changed.stderr).toBe(1);
    expect(changed.stdout).toMatch(/price_step of BTCUSDT: was 0\.1, is 0\.5\n/);
    // The assets of the field have no fee.
    if (!isField)
      expect(changed.stdout).toMatch(/trading_fee_perc of BTCUSDT: was 0\.059, is 0\.9\n/);
    expect(changed.stdout).toMatch(/field asset: data\.popularity: was string, is number\n/);
    expect(readFileSync(path('answers.json'), 'utf8'), 'a change is not accepted').toBe(written);
    expect([...proxy.methods]).toEqual(['GET']);
  }, 120_000);

  it('reports an outage as a failure, and not as a change', async () => {
    proxy.status = 503;
    const down = await rig.run('probe', '--compare', path('answers.json'), '--json');
    proxy.status = undefined;
    expect([down.exitCode, down.stdout]).toEqual([1, '']);
    expect(down.stderr).toContain('the venue');
  }, 60_000);

  it('is bad usage with orders, and with answers of another venue', async () => {
    proxy.edit = (text) => text;
    const mixed = await rig.run('probe', '--compare', path('answers.json'), '--min-size');
    expect(mixed.exitCode).toBe(2);
    const text = readFileSync(path('answers.json'), 'utf8').replace(
      proxy.url,
      'https://other.example',
    );
    writeFileSync(path('other.json'), text);
    const other = await rig.run('probe', '--compare', path('other.json'));
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('https://other')]);
    writeFileSync(path('broken.json'), '{}');
    expect((await rig.run('probe', '--compare', path('broken.json'))).exitCode).toBe(4);
  }, 60_000);
});

describe('the canary of a daemon', () => {
  it('reports a changed answer once, by log and notifier, and the replay stays identical', async () => {
    const notices = path('notices.jsonl');
    const config = readFileSync(rig.config, 'utf8');
    const script = path('notify.sh');
    writeFileSync(script, `#!/bin/sh\ncat >> '${notices}'\n`, { mode: 0o755 });
    writeFileSync(rig.config, `${config}notify: { command: { run: ['${script}'] } }\n`);
    proxy.edit = (text) => text;
    const known = join(rig.stateDir, 'venue-answers.json');
    const daemon = rig.start();
    await vi.waitFor(() => {
      expect(existsSync(known)).toBe(true);
    }, 60_000);
    proxy.edit = CHANGED;
    await vi.waitFor(() => {
      expect(existsSync(notices) && readFileSync(notices, 'utf8')).toContain('venue_changed');
    }, 60_000);
    // The next read finds the same answers again.
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    daemon.press();
    const ended = await daemon.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stderr.match(/the venue's answers have changed/g)).toHaveLength(1);
    const text = readFileSync(notices, 'utf8');
    expect(text.match(/"kind":"venue_changed"/g)).toHaveLength(1);
    expect(text).toMatch(/price_step of BTCUSDT: was 0\.1, is 0\.5/);
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 180_000);
});
