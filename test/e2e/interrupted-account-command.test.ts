import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedFromText, subtract } from '../../src/core/fixed/fixed.js';
import { AccountCliRig } from '../support/rigs/account-cli-rig.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The answer comes after the test. */
const LATE = { fault: 'resp_delay', delay_ms: 600_000, count: 1 };

let rig: AccountCliRig;
beforeEach(async () => {
  rig = await AccountCliRig.open({ limits: false });
});
afterEach(async () => {
  await rig.close();
});

/** Runs the command as a process, and sends it a real SIGINT as soon as the venue has done it. */
async function interrupt(line: string, isDone: () => boolean) {
  const child = spawn(
    process.execPath,
    ['bin/sluice.mjs', ...line.split(' '), '--yes', '--config', rig.config, '--json'],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await vi.waitFor(() => {
    expect(isDone(), stderr).toBe(true);
  }, 60_000);
  child.kill('SIGINT');
  return { exitCode: await ended, stdout, stderr };
}

describe('Ctrl-C after the request has left, before its answer has come', () => {
  it('a transfer has no proved outcome, and the next one waits for the person', async () => {
    const before = rig.exchange.futuresWallet('USDT').balance;
    const moved = () => subtract(rig.exchange.futuresWallet('USDT').balance, before);
    await rig.faults([{ on: 'POST /wallet/futures/transfer', ...LATE }]);
    const { exitCode, stdout, stderr } = await interrupt(
      'account transfer to-futures 100',
      () => moved() !== 0,
    );
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('SIGINT: stopping (once more leaves at once)');
    expect(stderr).toContain('its outcome is not proved');
    expect(stderr).toContain('check `sluice account transactions` before you repeat it');

    const next = await rig.run('account transfer to-futures 100 --yes');
    expect(next.exitCode).toBe(4);
    expect(next.stderr).toContain('an earlier transfer has no proved outcome (100 USDT');
    expect(moved()).toBe(fixedFromText('100'));
  });

  it('a leverage that the venue shows is set, and the command says so', async () => {
    const atVenue = () => rig.exchange.leverage('BTCUSDT', 'USDT');
    await rig.faults([{ on: 'POST /futures/BTCUSDT/leverage', ...LATE }]);
    const { exitCode, stdout, stderr } = await interrupt(
      'account leverage set BTCUSDT 3',
      () => atVenue() !== undefined,
    );
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ symbol: 'BTCUSDT', leverage: '3' });
    expect((await rig.runJson('account leverage set BTCUSDT 2 --yes')).json.leverage).toBe('2');
  });
});
