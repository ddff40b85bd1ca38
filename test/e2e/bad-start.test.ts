import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { nodeProcessFacts } from '../../src/io/node/process/node-process-facts.js';
import type { Files } from '../../src/core/ports.js';
import { acquireStateLock } from '../../src/io/log/state-lock.js';
import { parseFaults } from '../../src/sandbox/faults/fault-rules.js';
import { runSluice, temporaryFolder, type CliResult } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const SECRET = 'sandbox-secret';
const folder = temporaryFolder();
let served: ServedSandbox;
let secretFile: string;
beforeAll(async () => {
  served = await serveSandbox({ secret: SECRET, limits: false });
  secretFile = secret(`${SECRET}\n`);
});
afterAll(async () => {
  await served.close();
  folder.remove();
});
let files = 0;

const newPath = (): string => `${folder.path}/${(files += 1)}`;

function secret(text: string, mode = 0o600): string {
  const path = newPath();
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

interface ConfigSpec {
  readonly baseUrl?: string;
  readonly secretFile?: string;
  readonly account?: string;
  readonly stateDir?: string;
  readonly symbols?: string;
  readonly leverage?: string;
  readonly use?: string;
  readonly size?: string;
  readonly symbolsAllow?: string;
}

function configFile(spec: ConfigSpec = {}): string {
  const { baseUrl = served.server.baseUrl, stateDir = newPath() } = spec;
  const path = newPath();
  writeFileSync(
    path,
    `mode: sandbox
account: ${spec.account ?? 'demo'}
venue:
  base_url: ${baseUrl}
  ws_url: ${baseUrl.replace('http', 'ws')}
  api_secret_file: ${spec.secretFile ?? secretFile}
state_dir: ${stateDir}
strategies:
  - id: a
    use: ${spec.use ?? 'sma-cross'}
    symbols: [${spec.symbols ?? 'BTCUSDT'}]
    leverage: ${spec.leverage ?? '2'}
    size: ${spec.size ?? "{ notional: '250' }"}
    protect: { stop_loss_pct: 2 }
    params: ${spec.use === undefined ? '{ fast: 3, slow: 8 }' : '{}'}
risk: { preset: standard, symbols_allow: ${spec.symbolsAllow ?? "'*'"} }
`,
  );
  return path;
}

const run = (spec: ConfigSpec = {}): Promise<CliResult> =>
  runSluice(['run', '--config', configFile(spec), '--duration', '50ms', '--json']);

/** Failed with one message among the log lines, no result, no stack, and the exit code. */
function expectEnd(cliResult: CliResult, exitCode: number, message: string | RegExp): void {
  const stderrLines = cliResult.stderr.split('\n').filter((line) => !line.startsWith('{'));
  const stderrText = stderrLines.join('\n').replaceAll(new RegExp(`${folder.path}/\\d+`, 'g'), '…');
  if (typeof message === 'string') expect(stderrText).toContain(message);
  else expect(stderrText).toMatch(message);
  expect(stderrText.match(/^sluice: /gm)).toHaveLength(1);
  expect(stderrText).not.toMatch(/^ +at |unexpected: |undefined|\[object/m);
  expect(cliResult.stdout).toBe('');
  expect(cliResult.exitCode).toBe(exitCode);
}

/** Every file under a folder with its bytes. */
const bytesOf = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .map((name) => [name, readFileSync(name).toString('base64')]),
  );

/** A state folder left by a run. */
async function usedState(): Promise<string> {
  const stateDir = newPath();
  expect(await run({ stateDir })).toMatchObject({ exitCode: 0 });
  return stateDir;
}

/** The machine's disk, full after a number of journal writes. */
function fullAfter(appends: number): Files {
  let left = appends;
  return {
    ...nodeFiles,
    async openAppend(path) {
      const file = await nodeFiles.openAppend(path);
      const append = async (bytes: Uint8Array): Promise<void> => {
        if (path.endsWith('journal.log') && (left -= 1) < 0) {
          const errorText = 'ENOSPC: no space left on device, write';
          throw Object.assign(new Error(errorText), { code: 'ENOSPC', syscall: 'write' });
        }
        await file.append(bytes);
      };
      return { ...file, append };
    },
  };
}

describe('a configuration that does not fit the venue', () => {
  test('a symbol that is not listed is named at its place', async () => {
    expectEnd(
      await run({ symbols: 'ETHUSDT, BTCUSD' }),
      2,
      '…:11:24 strategies[0].symbols[1]: the venue does not list BTCUSD; did you mean "BTCUSDT"?',
    );
  });

  test('both keys are named of a symbol that the limits do not let trade', async () => {
    expectEnd(
      await run({ symbols: 'BTCUSDT, ETHUSDT', symbolsAllow: '[BTCUSDT]' }),
      2,
      '…:11:24 strategies[0].symbols[1]: ETHUSDT is not in risk.symbols_allow (…:16:27), so every order in it would be refused',
    );
  });

  test.each([
    [
      "{ notional: '600' }",
      'size.notional: 600 USDT is above risk.max_order_notional_usdt 500 USDT',
    ],
    [
      '{ equity_pct: 10, on_limit: refuse }',
      'size.equity_pct: 10 % of 10000 USDT x 1.25 is 1250 USDT, above risk.max_order_notional_usdt 500 USDT',
    ],
    ["{ notional: '3' }", "size.notional: 3 USDT; the venue's minimum order is"],
  ])(
    'both keys and the amount are named of a size that cannot trade: %s',
    async (size, message) => {
      expectEnd(await run({ size }), 2, message);
    },
  );

  test('a leverage that the instrument refuses is named', async () => {
    const message =
      '…:12:15 strategies[0].leverage: BTCUSDT takes 1 to 100 in steps of 0.01, not 101';
    expectEnd(await run({ leverage: '101' }), 2, message);
  });

  test('a symbol whose leverage the venue refuses is held until a person resumes it, and the run fails at its end', async () => {
    const strict = await serveSandbox({
      secret: SECRET,
      faults: parseFaults([
        { on: 'POST /futures/*/leverage', fault: 'reject(leverage out of permissible range)' },
      ]),
    });
    try {
      const ended = await run({ baseUrl: strict.server.baseUrl });
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toMatch(
        /^sluice: BTCUSDT is restricted \(REDUCE_ONLY\) by R15: the venue refuses leverage 2 on BTCUSDT: leverage out of permissible range.* sluice resume BTCUSDT$/m,
      );
      expect(JSON.parse(ended.stdout)).toMatchObject({
        orders_placed: 0,
        restrictions: [{ control: 'R15', symbol: 'BTCUSDT', class: 'latching' }],
      });
    } finally {
      await strict.close();
    }
  });
});

describe('a secret', () => {
  test.each([
    ['that others may read', () => secret(SECRET, 0o644), 'is readable by others: chmod 600 …'],
    ['that is a link', linked, 'the secret file is a symbolic link; name the file itself'],
    [
      'that is missing',
      newPath,
      /: there is no such secret file; .+:\d+:\d+ api_secret_file names it/,
    ],
    ['that is empty', () => secret('\n'), '…: the secret is empty'],
    ['of two lines', () => secret('one\ntwo\n'), 'must be one line of printable ASCII'],
  ])('a secret %s ends the start', async (_what, make, message) => {
    expectEnd(await run({ secretFile: make() }), 2, message);
  });

  function linked(): string {
    const link = newPath();
    symlinkSync(secretFile, link);
    return link;
  }

  test('a secret that the venue refuses ends the run at once and names its file', async () => {
    const cliResult = await run({ secretFile: secret('another') });
    expectEnd(
      cliResult,
      1,
      /127\.0\.0\.1:\d+ refuses the key from …: .*HTTP 401.*Put the secret of a key that is valid there/,
    );
    expect(cliResult.stderr).not.toContain('another');
  });
});

describe('an address', () => {
  test('an address without a server is retried until the run’s time is over', async () => {
    const { exitCode, stdout, stderr } = await run({ baseUrl: 'http://127.0.0.1:9' });
    expect(stderr).toMatch(/the venue cannot be used yet.*nothing answers.*Next try in 1 s/);
    expect(stderr).toMatch(
      /^sluice: ended before the venue could be used: nothing answers at http:\/\/127\.0\.0\.1:9; start a sandbox \(npx sluice sandbox\) or correct venue\.base_url/m,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      venue_down: expect.stringContaining('nothing answers') as string,
      unknown: null,
      reconciled: false,
    });
    expect(exitCode).toBe(1);
  });

  test.each([
    [404, '<html>no</html>'],
    [200, '<html>welcome</html>'],
    [200, '{"now_ms":"soon"}'],
  ])('an address that answers %i %s is refused', async (status, body) => {
    const other = createServer((_request, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const message = `http://127.0.0.1:${port} is not a sandbox: GET /sandbox/clock answers ${status}`;
      expectEnd(await run({ baseUrl: `http://127.0.0.1:${port}` }), 1, message);
    } finally {
      other.close();
    }
  });

  test('an address of another sandbox is refused', async () => {
    const { port } = served.server;
    const message = `port ${port} on 127.0.0.1 is in use; choose another, or --port 0 for a free one`;
    expectEnd(await runSluice(['sandbox', '--port', String(port)]), 1, message);
  });
});

describe('a state folder', () => {
  test('a state folder that is a file, or lies under one, is refused', async () => {
    expectEnd(
      await run({ stateDir: secretFile }),
      2,
      'the state folder … cannot be used: there is a file of this name. Name another state_dir',
    );
    expectEnd(await run({ stateDir: `${secretFile}/state` }), 2, 'a part of its path is a file');
  });

  test('a state folder held by another running process is refused by run and replay', async () => {
    const stateDir = await usedState();
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 1, 1e6)'], { stdio: 'ignore' });
    const pid = other.pid ?? 0;
    await acquireStateLock(nodeFiles, stateDir, { ...nodeProcessFacts, pid });
    const before = bytesOf(stateDir);
    try {
      const message = `Process ${pid} owns this state (…/lock). Stop it first (kill ${pid}), or give`;
      expectEnd(await run({ stateDir }), 3, message);
      expectEnd(await runSluice(['replay', stateDir]), 3, message);
      expect(bytesOf(stateDir)).toEqual(before);
    } finally {
      other.kill();
    }
  });

  test('a state folder of another account is refused', async () => {
    const stateDir = await usedState();
    const before = bytesOf(stateDir);
    const message =
      '… belongs to account demo, not other: give this account a state_dir of its own';
    expectEnd(await run({ stateDir, account: 'other' }), 4, message);
    expect(bytesOf(stateDir)).toEqual(before);
  });

  test('a state folder of another sandbox at the same address is refused', async () => {
    const stateDir = newPath();
    const first = await serveSandbox({ secret: SECRET });
    const { baseUrl, port } = first.server;
    expect(await run({ stateDir, baseUrl })).toMatchObject({ exitCode: 0 });
    await first.close();
    const before = bytesOf(stateDir);
    const second = await serveSandbox({ secret: SECRET, instanceId: 'another' }, port);
    try {
      expectEnd(
        await run({ stateDir, baseUrl }),
        4,
        /… belongs to another venue \(.*\), not to .*, sandbox another: its orders are not there\. Use another state_dir/,
      );
      expect(bytesOf(stateDir)).toEqual(before);
    } finally {
      await second.close();
    }
  });

  test('a failed start releases the state folder for the next start and a replay', async () => {
    const stateDir = newPath();
    const use = `${newPath()}.ts`;
    writeFileSync(
      use,
      `import { defineStrategy, z } from 'sluice/strategy';
export default defineStrategy({
  name: 'mine',
  params: z.object({}),
  create() { throw new Error('boom'); },
});
`,
    );
    const message = /Strategy a \(mine\) could not be made: Error: boom at ….ts:5/;
    expectEnd(await run({ stateDir, use }), 2, message);
    expect(readdirSync(stateDir)).not.toContain('lock');
    expectEnd(await run({ stateDir, symbols: 'NONEUSDT' }), 2, 'does not list NONEUSDT');
    expect(await run({ stateDir })).toMatchObject({ exitCode: 0 });
    expect(await runSluice(['replay', stateDir])).toMatchObject({ exitCode: 0 });
  });

  test('a disk that fills at the start ends the run, and with space the next one continues', async () => {
    const stateDir = newPath();
    const configPath = configFile({ stateDir });
    const args = ['run', '--config', configPath, '--duration', '50ms', '--json'];
    const cliResult = await runSluice(args, { files: fullAfter(2) });
    // Whether it started trading, and so has a summary, is a race of disk and sockets.
    expectEnd(
      { ...cliResult, stdout: '' },
      1,
      /the journal cannot be written: the disk is full: free some space \(….*\.log cannot be written: ENOSPC.*start again with the same state_dir/,
    );
    expect(await runSluice(args)).toMatchObject({ exitCode: 0 });
    expect(await runSluice(['replay', stateDir])).toMatchObject({ exitCode: 0 });
  });

  test('a disk that fills during a run ends it with its summary', async () => {
    const config = newPath();
    const demo = readFileSync('config/demo.yaml', 'utf8');
    writeFileSync(config, demo.replace('.sluice/demo', newPath()));
    const cliResult = await runSluice(['run', '--config', config, '--json'], {
      files: fullAfter(30),
    });
    expect(JSON.parse(cliResult.stdout)).toMatchObject({
      // The requests under way decide it: reads and cancels still leave.
      reconciled: expect.any(Boolean) as unknown,
      state_dir: expect.any(String) as unknown,
    });
    expectEnd({ ...cliResult, stdout: '' }, 1, 'the journal cannot be written: the disk is full');
  });

  test('a state folder that every user may write in is refused with the chmod command', async () => {
    const stateDir = newPath();
    mkdirSync(stateDir);
    chmodSync(stateDir, 0o777);
    const message =
      /every user of this machine may write in the state folder …, .*: chmod go-w …$/m;
    expectEnd(await run({ stateDir }), 4, message);
    expect(readdirSync(stateDir)).toEqual([]);
    execFileSync('chmod', ['go-w', stateDir]);
    expect(await run({ stateDir })).toMatchObject({ exitCode: 0 });
  });

  test('a state folder that its group may write in is warned of with the chmod command', async () => {
    const stateDir = newPath();
    mkdirSync(stateDir);
    chmodSync(stateDir, 0o775);
    const warned = await run({ stateDir });
    expect(warned.exitCode).toBe(0);
    expect(warned.stderr).toContain(`chmod go-w ${stateDir}`);
    execFileSync('chmod', ['go-w', stateDir]);
    expect((await run({ stateDir })).stderr).not.toContain('chmod');
  });

  test('a state folder with the kill file is refused', async () => {
    const stateDir = newPath();
    mkdirSync(stateDir);
    writeFileSync(`${stateDir}/KILL`, '');
    const message =
      'the kill switch is set: …/KILL exists. Look at what happened, then `sluice resume` ends it';
    expectEnd(await run({ stateDir }), 4, message);
    expect(readdirSync(stateDir)).toEqual(['KILL', 'owner.lock']);
  });

  test.each([
    ['journal.log', 40, 'at record 1, offset 0'],
    ['journal.head', 3, ''],
  ])(
    'a state folder with a flipped byte in %s is refused and stays unchanged',
    async (name, at, where) => {
      const stateDir = await usedState();
      const path = `${stateDir}/${name}`;
      const bytes = readFileSync(path);
      // Both slots of the head, since a torn write damages only one of them.
      for (const offset of name.endsWith('.head') ? [at, 4_096 + at] : [at]) {
        bytes[offset] = (bytes[offset] ?? 0) ^ 1;
      }
      writeFileSync(path, bytes);
      const before = bytesOf(stateDir);
      const cliResult = await run({ stateDir });
      expectEnd(
        cliResult,
        4,
        /the journal cannot be trusted: .* is damaged.*Restore the \.log and \.head/,
      );
      expect(cliResult.stderr).toContain(where);
      expectEnd(await runSluice(['replay', stateDir]), 4, 'the journal cannot be trusted');
      expect(bytesOf(stateDir)).toEqual(before);
    },
  );
});

describe('--json', () => {
  test('standard output has only JSON', async () => {
    const stateDir = newPath();
    const ran = await run({ stateDir });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      unknown: 0,
      reconciled: true,
      state_dir: stateDir,
    });
    const replayed = await runSluice(['replay', stateDir, '--json']);
    expect(JSON.parse(replayed.stdout)).toMatchObject({ identical: true });
    const out = newPath();
    const tested = await runSluice(['backtest', '--out', out, '--to', '2025-05-06', '--json']);
    expect(JSON.parse(tested.stdout)).toMatchObject({ run: out, bars: 1_440 });
    expect([ran.exitCode, replayed.exitCode, tested.exitCode]).toEqual([0, 0, 0]);
  });

  test('a sandbox prints its addresses as one line and runs until a signal', async () => {
    let end: ((signal: 'SIGINT') => void) | undefined;
    let line = '';
    const cliResult = await runSluice(['sandbox', '--json'], {
      onSignal: (listener) => {
        end = listener;
        return () => undefined;
      },
      stdout: (text) => {
        line += text;
        end?.('SIGINT');
      },
    });
    expect(line.endsWith('\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown,
      ws_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/) as unknown,
      api_secret: expect.stringMatching(/^\S{20,}$/) as unknown,
    });
    expect(cliResult).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
