import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

let rig: DaemonRig;
let silent: Server;
const sockets = new Set<Socket>();
const path = (name: string): string => join(rig.folder.path, name);
beforeAll(async () => {
  rig = await DaemonRig.open();
  const daemon = rig.start();
  await rig.trading();
  daemon.press();
  await daemon.ended;
  // It accepts connections and never answers, as a venue whose machine hangs.
  silent = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { baseUrl, wsUrl } = rig.served.server;
  const config = rig.configText('bot').replace(baseUrl, `http://${url}`);
  writeFileSync(path('silent.yaml'), config.replace(wsUrl, `ws://${url}`));
}, 90_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await rig.close();
});

describe('a venue that accepts connections and never answers', () => {
  it.each([
    ['pnl', ['--by', 'day'], 'no complete response within 5000 ms; --offline shows'],
    ['export', ['ledger', '--out', 'LEDGER'], 'no complete response within 5000 ms; --offline'],
    ['probe', ['--compare', 'ANSWERS'], 'the network: no complete response'],
  ])(
    'ends %s with exit code 1 and a remedy, and leaves no file',
    async (command, words, text) => {
      const [ledger, answers] = [path('ledger.csv'), path('answers.json')];
      const args = words.map((word) => ({ LEDGER: ledger, ANSWERS: answers })[word] ?? word);
      const config = ['--config', path('silent.yaml')];
      const { exitCode, stdout, stderr } = await runSluice([command, ...args, ...config]);
      expect([exitCode, stdout], stderr).toEqual([1, '']);
      expect(stderr).toContain(text);
      expect([existsSync(ledger), existsSync(answers)]).toEqual([false, false]);
    },
    60_000,
  );

  it('ends doctor with exit code 4: what needs the venue is unchecked', async () => {
    const { exitCode, stdout, stderr } = await runSluice(['doctor', path('silent.yaml')]);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('nothing answers at')]);
    expect(stdout).toMatch(/unchecked +api_key +the venue does not answer/);
  }, 60_000);

  it('leaves backup and upgrade --check as they are, since they need no venue', async () => {
    const config = ['--config', path('silent.yaml')];
    expect((await runSluice(['backup', '--out', path('b.tar.gz'), ...config])).exitCode).toBe(0);
    expect((await runSluice(['upgrade', '--check', ...config])).exitCode).toBe(0);
  }, 60_000);
});
