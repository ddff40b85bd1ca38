import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox } from '../support/rigs/served-sandbox.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

const configOf = (baseUrl: string, secret: string): string => `mode: sandbox
account: rotate
venue:
  base_url: ${baseUrl}
  ws_url: ${baseUrl.replace('http', 'ws')}
  api_secret_file: ${secret}
state_dir: ${join(folder.path, 'state')}
poll_ms: 200
strategies:
  - id: a
    use: sma-cross
    symbols: [BTCUSDT]
    leverage: 2
    size: { notional: '250' }
    params: { fast: 3, slow: 8 }
risk: { preset: standard, symbols_allow: '*' }
`;

it('SIGHUP reads the secret of a running daemon again and refuses a file that others can read', async () => {
  const served = await serveSandbox({ secret: 'first-secret', limits: false });
  const { baseUrl } = served.server;
  const [secret, config] = [join(folder.path, 'secret'), join(folder.path, 'rotate.yaml')];
  writeFileSync(secret, 'first-secret\n', { mode: 0o600 });
  writeFileSync(config, configOf(baseUrl, secret));
  let [hangup, press] = [(): void => undefined, (): void => undefined];
  let text = '';
  const rotate = async (): Promise<void> => {
    writeFileSync(secret, 'second-secret\n');
    chmodSync(secret, 0o600);
    const body = JSON.stringify({ secret: 'second-secret' });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${baseUrl}/sandbox/secret`, { method: 'POST', headers, body });
    hangup();
  };
  /** Actions on the first log line with each text. */
  const script: [string, () => void | Promise<void>][] = [
    ['TRADING', () => (chmodSync(secret, 0o644), hangup())],
    ['the secret in use stays', rotate],
    ['its new secret is in use', () => void setTimeout(press, 3_000)],
  ];
  try {
    const run = await runSluice(['run', '--config', config, '--json'], {
      onHangup: (listener) => ((hangup = listener), () => undefined),
      onSignal: (listener) => ((press = () => listener('SIGINT')), () => undefined),
      stderr: (line) => {
        text += line;
        const [next] = script;
        if (next === undefined || !line.includes(next[0])) return;
        script.shift();
        setTimeout(() => void next[1](), 10);
      },
    });
    expect(script, text).toEqual([]);
    expect(text).toContain('readable by others');
    expect(text).not.toMatch(/(?:first|second)-secret/);
    expect(run.exitCode, text).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ key_refused: false, reconciled: true });
  } finally {
    await served.close();
  }
});
