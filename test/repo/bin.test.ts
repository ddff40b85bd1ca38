import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/rigs/cli-runner.js';

const bin = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));

function sluice(...args: readonly string[]): {
  readonly child: ChildProcessWithoutNullStreams;
  readonly firstLine: Promise<string>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
} {
  const child = spawn(process.execPath, [bin, ...args]);
  let [stdout, stderr] = ['', ''];
  const firstLine = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      if (stdout.includes('\n')) resolve(stdout);
    });
  });
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
  return { child, firstLine, ended };
}

test('the installed command runs what was built', async () => {
  expect(await sluice('--version').ended).toMatchObject({ code: 0, stdout: '0.1.0\n' });
});

test('its failures are an exit code and one message, without a stack', async () => {
  const { code, stdout, stderr } = await sluice('run', '--config', 'none.yaml').ended;
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'sluice: none.yaml: there is no such file; config/demo.yaml and config/sandbox.yaml come with Sluice\n',
  });
});

test('it does not start on a mode that is not there yet, and says why', async () => {
  const { code, stderr } = await sluice('run', '--config', 'config/live.example.yaml').ended;
  expect(stderr).toMatch(/^sluice: config\/.*\.yaml:\d+:\d+ mode: live is refused/);
  expect(code).toBe(4);
});

test('Ctrl-C ends the sandbox with 0', async () => {
  const sandbox = sluice('sandbox', '--json', '--clock', 'manual');
  const addresses = JSON.parse(await sandbox.firstLine) as { base_url: string };
  const socket = await fetch(`${addresses.base_url}/sandbox/state`);
  expect(socket.status).toBe(200);
  sandbox.child.kill('SIGINT');
  expect((await sandbox.ended).code).toBe(0);
});

test('a failure in a strategy is told at its own file and line, not at ours', async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'boom.ts');
  writeFileSync(
    file,
    `import { defineStrategy, z } from 'sluice/strategy';
interface Wish { readonly side: number }
export default defineStrategy({
  name: 'boom',
  description: 'Throws',
  params: z.object({}),
  create: () => ({
    onCandle() {
      const wish: Wish = { side: 1 };
      throw new Error(String(wish.side));
    },
  }),
});
`,
  );
  const { code, stdout } = await sluice('strategy', 'check', file).ended;
  expect(stdout).toContain(`${file}:10: onCandle throws Error: 1`);
  expect(code).toBe(1);
  folder.remove();
}, 60_000);
