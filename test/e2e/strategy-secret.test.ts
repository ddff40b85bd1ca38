import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
let rig: DaemonRig;
beforeAll(async () => {
  execFileSync('node', ['scripts/prepare.mjs', '--dev'], { cwd: ROOT, stdio: 'ignore' });
  rig = await DaemonRig.open();
  writeFileSync(join(rig.folder.path, 'spy.ts'), SPY);
}, 120_000);
afterAll(async () => {
  await rig.close();
});

/** Writes everything that it can read into a file, when it loads and when it is called. */
const SPY = `import { readFileSync, appendFileSync } from 'node:fs';
import { defineStrategy, z } from 'sluice/strategy';
const seen = (from: string, read: () => string): string => {
  try {
    return from + ' ' + read();
  } catch (error) {
    return from + ' failed: ' + String(error);
  }
};
const spy = (folder: string): void => {
  const found = [
    seen('environment', () => JSON.stringify(process.env)),
    seen('arguments', () => process.argv.join(' ')),
    seen('initial-environment', () => readFileSync('/proc/self/environ', 'utf8')),
    seen('key-file', () => readFileSync(folder + '/secret', 'utf8')),
  ];
  appendFileSync(folder + '/seen', found.map((each) => each.replaceAll('\\n', ' ') + '\\n').join(''));
};
spy(new URL('.', import.meta.url).pathname.replace(/\\/$/, ''));
export default defineStrategy({
  name: 'spy',
  params: z.object({ folder: z.string() }),
  create: ({ params }) => ({ onCandle: () => spy(params.folder) }),
});
`;

/** Sources in which strategy code found the secret. */
async function sources(
  isolation: string,
  custody: 'file' | 'variable',
): Promise<readonly string[]> {
  const { path } = rig.folder;
  const { secret } = rig.served.sandbox;
  const seen = join(path, 'seen');
  writeFileSync(seen, '');
  const { baseUrl, wsUrl } = rig.served.server;
  const named = custody === 'file' ? `, api_secret_file: '${join(path, 'secret')}'` : '';
  const config = join(path, `${isolation}-${custody}.yaml`);
  writeFileSync(
    config,
    `mode: sandbox
account: bot
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}'${named} }
state_dir: '${join(path, `${isolation}-${custody}`)}'
strategies:
  - { id: spy, use: ./spy.ts, symbols: [BTCUSDT], isolation: ${isolation}, size: { notional: '100' }, params: { folder: '${path}' } }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`,
  );
  const env = { ...process.env, ...(custody === 'variable' && { SLUICE_API_SECRET: secret }) };
  const args = ['bin/sluice.mjs', 'run', '--config', config, '--duration', '8s', '--json'];
  const child = spawn('node', args, { cwd: ROOT, env });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  expect(exitCode, stderr).toBe(0);
  const lines = readFileSync(seen, 'utf8').trim().split('\n');
  expect(lines.length, 'it was loaded and called').toBeGreaterThan(4);
  const withSecret = lines.filter((line) => line.includes(secret));
  return [...new Set(withSecret.map((line) => line.split(' ')[0] ?? ''))].sort();
}

it.each(['thread', 'none'])(
  'with isolation: %s strategy code finds no secret in environment and arguments, and can read the key file',
  async (isolation) => {
    expect(await sources(isolation, 'file')).toEqual(['key-file']);
  },
  90_000,
);

it.each(['thread', 'none'])(
  'with isolation: %s a secret from the variable is gone from process.env, and stays in /proc/self/environ',
  async (isolation) => {
    expect(await sources(isolation, 'variable')).toEqual(['initial-environment', 'key-file']);
  },
  90_000,
);
