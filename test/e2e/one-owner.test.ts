import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const ROUNDS = Number(process.env['SLUICE_ROUNDS'] ?? 2);
const TIME_OUT_MS = 20_000 + ROUNDS * 20_000;

/** The command prefix for a new PID namespace; undefined where it is not permitted. */
const UNSHARE = [[], ['--user', '--map-root-user']]
  .map((user) => [...user, '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'])
  .find((options) => spawnSync('unshare', [...options, 'true']).status === 0);
const hasCompiler = spawnSync('cc', ['--version']).status === 0;

const folder = temporaryFolder();
let served: ServedSandbox;
beforeAll(async () => {
  execFileSync('node', ['scripts/prepare.mjs', '--dev'], { cwd: ROOT, stdio: 'ignore' });
  served = await serveSandbox({ limits: false });
}, 120_000);
afterAll(async () => {
  await served.close();
  folder.remove();
});

const started = new Set<Daemon>();
afterEach(async () => {
  for (const daemon of started) await daemon.kill();
  started.clear();
});

/** The compiled daemon as a process. */
class Daemon {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  stderr = '';
  #onText: () => void = () => undefined;

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const [program = '', ...args] = command;
    const env = { ...process.env, ...environment };
    this.#child = spawn(program, args, { cwd: ROOT, env });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#onText();
    });
    // The streams close when the last process that holds them has ended.
    this.ended = new Promise((resolve) => this.#child.on('close', resolve));
    started.add(this);
  }

  /** @returns the exit code of the first to end */
  async trades(): Promise<number | null | 'trades'> {
    const trades = new Promise<'trades'>((resolve) => {
      this.#onText = () => {
        if (this.stderr.includes('→ TRADING')) resolve('trades');
      };
      this.#onText();
    });
    return Promise.race([trades, this.ended]);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

function configFile(name: string): { readonly config: string; readonly stateDir: string } {
  const { baseUrl, wsUrl } = served.server;
  const at = (end: string): string => join(folder.path, `${name}${end}`);
  writeFileSync(at('.secret'), served.sandbox.secret, { mode: 0o600 });
  writeFileSync(
    at('.yaml'),
    `mode: sandbox
account: ${name}
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${at('.secret')}' }
state_dir: '${at('')}'
strategies:
  - { id: a, use: sma-cross, symbols: [BTCUSDT], size: { notional: '100' }, params: { fast: 3, slow: 8 } }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`,
  );
  return { config: at('.yaml'), stateDir: at('') };
}

const run = (config: string): readonly string[] => [
  process.execPath,
  'bin/sluice.mjs',
  'run',
  '--config',
  config,
  '--json',
];
const contained = (config: string): readonly string[] => [
  'unshare',
  ...(UNSHARE ?? []),
  ...run(config),
];

describe('a state folder that several containers share', () => {
  if (UNSHARE === undefined) {
    it.skip('is skipped where `unshare --pid` is missing or refused, also within a user namespace', () =>
      undefined);
    return;
  }

  it(
    'the second daemon is refused with code 3 and starts at once after kill -9 of the first',
    async () => {
      const { config, stateDir } = configFile('namespaces');
      let first = new Daemon(contained(config));
      expect(await first.trades(), first.stderr).toBe('trades');
      for (let round = 1; round <= ROUNDS; round += 1) {
        expect(JSON.parse(readFileSync(`${stateDir}/lock`, 'utf8'))).toMatchObject({ pid: 1 });
        const second = new Daemon(contained(config));
        expect(await second.trades(), `round ${round}: ${second.stderr}`).toBe(3);
        expect(second.stderr).toMatch(
          /^sluice: Process 1 on \S+, in another container or on another machine, owns this state/m,
        );
        await first.kill();
        first = new Daemon(contained(config));
        expect(await first.trades(), `round ${round}: ${first.stderr}`).toBe('trades');
      }
    },
    TIME_OUT_MS,
  );

  it(
    'only one of three daemons that start at the same instant gets the folder',
    async () => {
      const { config } = configFile('instant');
      for (let round = 1; round <= ROUNDS; round += 1) {
        const daemons = [1, 2, 3].map(() => new Daemon(contained(config)));
        const ends = await Promise.all(daemons.map((daemon) => daemon.trades()));
        const stderrText = daemons.map(({ stderr }) => stderr).join('\n');
        expect(ends.map(String).sort(), stderrText).toEqual(['3', '3', 'trades']);
        for (const daemon of daemons) await daemon.kill();
      }
    },
    TIME_OUT_MS,
  );
});

describe('a state folder on a disk without locks', () => {
  if (!hasCompiler) {
    it.skip('is skipped where there is no `cc` to build the library that refuses locks', () =>
      undefined);
    return;
  }

  it.each([
    { error: 'ENOLCK', message: /gives no locks.*Name a state_dir on a local disk/ },
    { error: 'ENOSYS', message: /cannot be locked.*Name a state_dir on a local disk/ },
  ])(
    'a folder without locks is refused with code 4 and a remedy when the system answers $error',
    async (row) => {
      const { error, message } = row;
      const { config } = configFile(`no-locks-${error.toLowerCase()}`);
      const source = join(folder.path, `${error}.c`);
      writeFileSync(source, NO_LOCKS.replace('ERROR', error));
      execFileSync('cc', ['-shared', '-fPIC', '-o', `${source}.so`, source]);
      const daemon = new Daemon(run(config), { LD_PRELOAD: `${source}.so` });
      expect(await daemon.ended, daemon.stderr).toBe(4);
      expect(daemon.stderr).toMatch(message);
    },
  );
});

/** Every POSIX lock fails; other calls succeed. */
const NO_LOCKS = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int as(const char *name, int fd, int command, void *argument) {
  if (command == F_SETLK || command == F_SETLKW) { errno = ERROR; return -1; }
  int (*real)(int, int, void *) = dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
  va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
  return as("fcntl", fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
  va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
  return as("fcntl64", fd, command, argument);
}
`;
