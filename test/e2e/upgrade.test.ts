import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOURNAL_VERSION } from '../../src/execution/journal/journal-schema.js';
import { openFramedLog } from '../../src/io/log/framed-log.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { DaemonRig } from '../support/rigs/daemon-rig.js';

interface Answer {
  readonly identical: boolean;
  readonly changes_format: boolean;
  readonly journal_version: number;
  readonly positions: readonly { readonly symbol: string }[];
  readonly sessions: readonly object[];
}

describe('upgrade --check of a bot with an open position', () => {
  let rig: DaemonRig;
  beforeAll(async () => {
    rig = await DaemonRig.open();
  }, 60_000);
  afterAll(async () => {
    await rig.close();
  });

  /** Name → hash of every file below the state folder. */
  const stateFiles = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(rig.stateDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]),
    );

  /** A copy of the state folder, its journal written anew with other lines. */
  async function rewritten(
    name: string,
    change: (lines: readonly string[]) => readonly string[],
  ): Promise<string> {
    const folder = join(rig.folder.path, name);
    cpSync(rig.stateDir, folder, { recursive: true });
    const old = await openFramedLog(nodeFiles, folder, 'journal');
    await old.close();
    for (const ending of ['log', 'head']) rmSync(join(folder, `journal.${ending}`));
    const log = await openFramedLog(nodeFiles, folder, 'journal');
    const lines = old.read().map((bytes) => new TextDecoder().decode(bytes));
    for (const line of change(lines)) log.append(new TextEncoder().encode(line));
    await log.close();
    return folder;
  }

  it('prints identical while the daemon runs and after its stop, and the next start trades on', async () => {
    const daemon = rig.start();
    await rig.trading();
    const beside = await rig.run('upgrade', '--check', '--json');
    expect(beside.exitCode, beside.stderr).toBe(0);
    expect(JSON.parse(beside.stdout)).toMatchObject({ identical: true, account: 'bot' });
    daemon.press('SIGTERM');
    await daemon.ended;

    const before = stateFiles();
    const stopped = await rig.run('upgrade', '--check', '--json');
    expect(stopped.exitCode, stopped.stderr).toBe(0);
    const answer = JSON.parse(stopped.stdout) as Answer;
    expect(answer).toMatchObject({
      identical: true,
      changes_format: false,
      journal_version: JOURNAL_VERSION,
    });
    expect(answer.positions.map(({ symbol }) => symbol)).toContain('BTCUSDT');
    const { stdout } = await rig.run('upgrade', '--check');
    expect(stdout).toMatch(/open position: BTCUSDT .*\n/);
    expect(stdout).toMatch(/before the first start .*: sluice backup .*\nto go back: /);
    expect(stdout.endsWith('\nidentical\n')).toBe(true);
    expect(stateFiles(), 'nothing is written').toEqual(before);

    const next = await rig.start('--duration', '3s').ended;
    expect(next.exitCode, next.stderr).toBe(0);
    expect(JSON.parse(next.stdout)).toMatchObject({ reconciled: true, unknown: 0 });
    const after = await rig.run('upgrade', '--check', '--json');
    expect((JSON.parse(after.stdout) as Answer).sessions).toHaveLength(2);
  }, 120_000);

  it('names the first difference of a decision that was tampered with, with exit code 1', async () => {
    const folder = await rewritten('tampered', (lines) => {
      const at = lines.findIndex((line) => line.includes('"type":"intent"'));
      return lines.map((line, index) =>
        index === at ? line.replace(/"quantity":"([^"]+)"/, '"quantity":"7$1"') : line,
      );
    });
    const { exitCode, stdout } = await runSluice(['upgrade', '--check', folder]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('DIFFERENT');
    expect(stdout).toMatch(
      /first difference at event \d+, record \d+:\n {2}journaled .*"quantity":"7/,
    );
    expect(stdout).toContain('\ndifferent: ');
    const json = await runSluice(['upgrade', '--check', folder, '--json']);
    expect([json.exitCode, (JSON.parse(json.stdout) as Answer).identical]).toEqual([1, false]);
  });

  it('says that the first write changes the format of a journal of version 1', async () => {
    const folder = await rewritten('older', (lines) =>
      lines.map((line) => line.replace(/^\{"v":\d+/, '{"v":1')),
    );
    const { exitCode, stdout } = await runSluice(['upgrade', '--check', folder]);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain(
      `journal: version 1; the first write of this version is version ${JOURNAL_VERSION}, and older versions refuse`,
    );
  });

  it('refuses a journal with a record of a newer version, with exit code 4', async () => {
    const newer = JOURNAL_VERSION + 1;
    const folder = await rewritten('newer', (lines) => [
      ...lines,
      `{"v":${newer},"type":"note","venueTime":1,"text":"from the future"}\n`,
    ]);
    const { exitCode, stdout, stderr } = await runSluice(['upgrade', '--check', folder]);
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(stderr).toContain(`this version cannot read the state of ${folder}`);
    expect(stderr).toContain(`version ${newer}; this version reads 1 to ${JOURNAL_VERSION}`);
    expect(stderr).toContain('Nothing was changed');
  });

  it('is bad usage without --check, without a journal and without a recorded run', async () => {
    const bare = await runSluice(['upgrade', rig.stateDir]);
    expect([bare.exitCode, bare.stderr]).toEqual([2, expect.stringContaining('--check')]);
    const nowhere = join(rig.folder.path, 'nowhere');
    expect((await runSluice(['upgrade', '--check', nowhere])).exitCode).toBe(2);
    const folder = await rewritten('unrecorded', (lines) => lines);
    rmSync(join(folder, 'record'), { recursive: true });
    const unrecorded = await runSluice(['upgrade', '--check', folder]);
    expect(unrecorded.exitCode).toBe(2);
    expect(unrecorded.stderr).toContain('nothing to replay');
  });
});
