import { execFileSync, spawn } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;

beforeAll(() => {
  execFileSync('node', ['scripts/prepare.mjs', '--dev'], { cwd: ROOT, stdio: 'ignore' });
}, 120_000);

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function chaos(args: readonly string[], interruptAt?: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('node', ['bin/sluice.mjs', 'chaos', ...args], { cwd: ROOT });
    let [stdout, stderr] = ['', ''];
    let isInterrupted = false;
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (interruptAt === undefined || isInterrupted || !stdout.includes(interruptAt)) return;
      isInterrupted = true;
      child.kill('SIGINT');
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

interface ScenarioDocument {
  readonly scene: string;
  readonly client_order_id: string;
  readonly position_venue: string;
  readonly journal: readonly string[];
}

describe('sluice chaos', () => {
  it('every scenario ends with one order, however often its POST arrived, and the position reconciled', async () => {
    const { code, stdout, stderr } = await chaos(['--json', '--seed', '3']);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    const document = JSON.parse(stdout) as { scenes: readonly ScenarioDocument[] };
    const one = { holds: true, orders: 1, unknown: 0, reconciled: true };
    expect(document).toMatchObject({
      holds: true,
      seed: 3,
      scenes: [
        { scene: 'answer-lost', deliveries: 1, ...one },
        { scene: 'request-late', deliveries: 2, ...one },
        { scene: 'killed-again', deliveries: 1, ...one },
      ],
    });
    const [lost, late, again] = document.scenes;
    const attempts = (scene: ScenarioDocument | undefined): number =>
      scene?.journal.filter((line) => line.startsWith('attempt')).length ?? 0;
    expect([lost, late, again].map(attempts), 'no entry is sent in a later run').toEqual([1, 1, 1]);
    const fences = (scene: ScenarioDocument | undefined): number =>
      scene?.journal.filter((line) => line.startsWith('fence')).length ?? 0;
    expect([lost, late, again].map(fences), 'journaled before their bytes left').toEqual([0, 1, 1]);
    expect([lost, late, again].map((scene) => scene?.position_venue !== '0')).toEqual([
      true,
      false,
      false,
    ]);
    expect(new Set(document.scenes.map((scene) => scene.client_order_id)).size).toBe(3);
  }, 180_000);

  it('an interrupt ends the command at once with a message', async () => {
    const { code, stdout, stderr } = await chaos([], 'The response is lost');
    expect(code).toBe(1);
    expect(stderr).toContain('stopped before the last scenario');
    expect(stdout).not.toContain('checks hold');
  }, 60_000);
});
