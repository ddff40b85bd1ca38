import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { numberFromFixed } from '../../src/core/fixed/fixed.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { readJournal } from '../../src/live/plan/read-journal.js';
import { runSluice, temporaryFolder, type CliResult } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const STRATEGY = resolve('test/fixtures/constant-target.ts');

interface Settings {
  readonly id?: string;
  readonly symbol?: string;
  readonly leverage?: number;
}

/** A sandbox, and configurations of one account on one state folder. */
class OwnershipRig {
  readonly #served: ServedSandbox;
  readonly #folder = temporaryFolder();
  readonly stateDir = join(this.#folder.path, 'state');

  private constructor(served: ServedSandbox) {
    this.#served = served;
    writeFileSync(join(this.#folder.path, 'secret'), 'sandbox-secret\n', { mode: 0o600 });
  }

  static async open(): Promise<OwnershipRig> {
    return new OwnershipRig(
      await serveSandbox({ clock: { kind: 'fast', factor: 60 }, limits: false }),
    );
  }

  configOf({ id = 'long', symbol = 'BTCUSDT', leverage = 2 }: Settings, account = 'bot'): string {
    const { baseUrl, wsUrl } = this.#served.server;
    const path = join(this.#folder.path, `${account}-${id}-${symbol}-${leverage}.yaml`);
    writeFileSync(
      path,
      `mode: sandbox
account: ${account}
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: ${join(this.#folder.path, 'secret')} }
state_dir: ${this.stateDir}
on_stop: keep
strategies:
  - id: ${id}
    use: ${STRATEGY}
    symbols: [${symbol}]
    isolation: none
    leverage: ${leverage}
    size: { quantity: '${symbol === 'BTCUSDT' ? '0.002' : '0.05'}' }
    protect: { stop_loss_pct: 5 }
risk: { preset: standard, symbols_allow: [BTCUSDT, ETHUSDT], duplicate_window_ms: 1 }
`,
    );
    return path;
  }

  /** Symbol, quantity and stop of each position at the venue. */
  positions() {
    return this.#served.sandbox.exchange.positions('USDT').map((position) => ({
      symbol: position.symbol,
      quantity: numberFromFixed(position.quantity),
      stop: position.stopLoss === undefined ? 0 : numberFromFixed(position.stopLoss.price),
    }));
  }

  async close(): Promise<void> {
    await this.#served.close();
    this.#folder.remove();
  }
}

const run = (config: string): Promise<CliResult> =>
  runSluice(['run', '--config', config, '--duration', '6s', '--json']);
const differences = async (config: string) => {
  const { stdout } = await runSluice(['plan', config, '--json']);
  return (JSON.parse(stdout) as { differences: { kind: string }[] }).differences.map(
    ({ kind }) => kind,
  );
};

describe('an open position of a strategy that is not configured any more', () => {
  let rig: OwnershipRig;
  beforeAll(async () => {
    rig = await OwnershipRig.open();
  });
  afterAll(() => rig.close());
  const decide = (config: string, ...words: readonly string[]): Promise<CliResult> =>
    runSluice(['strategy', ...words, '--config', config]);

  it('a renamed strategy goes on with its position, its stop and its target', async () => {
    await run(rig.configOf({}));
    const [before] = rig.positions();
    expect(before).toMatchObject({ symbol: 'BTCUSDT', quantity: 0.002 });
    expect(before?.stop).toBeGreaterThan(0);

    const config = rig.configOf({ id: 'trend' });
    expect(await differences(config)).toEqual(['renamed']);
    const renamed = await decide(config, 'rename', 'long', 'trend', '--json');
    expect(renamed.exitCode, renamed.stderr).toBe(0);
    expect(JSON.parse(renamed.stdout)).toMatchObject({
      decision: 'rename',
      strategy: 'long',
      owners: [{ id: 'trend', symbols: ['BTCUSDT'] }],
      positions: [{ symbol: 'BTCUSDT', quantity: '0.002' }],
    });
    expect(await differences(config)).toEqual([]);
    const plan = await runSluice(['plan', config]);
    expect(plan.stdout).toContain('opened by trend');
    expect(plan.stdout).toContain('target 1: nothing (reached)');

    const second = await run(config);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(JSON.parse(second.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ intents: 0 });
    expect(rig.positions()).toEqual([before]);

    const again = await decide(config, 'rename', 'long', 'trend');
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('the journal has no strategy long: it has trend');
  }, 60_000);

  it('the books, the explanation of an order and the replay know the new id', async () => {
    const config = rig.configOf({ id: 'trend' });
    const pnl = await runSluice(['pnl', '--by', 'strategy', '--json', '--config', config]);
    const { rows } = JSON.parse(pnl.stdout) as { rows: { strategy: string }[] };
    expect(rows.map(({ strategy }) => strategy)).toEqual(['trend']);
    const journal = (await readJournal(nodeFiles, rig.stateDir)) ?? [];
    const order = journal.find((each) => each.type === 'intent')?.clientOrderId ?? '';
    const why = await runSluice(['why', order, rig.stateDir]);
    expect(why.stdout).toContain(
      'trend owns it from now on: long was renamed (sluice strategy rename)',
    );
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 60_000);

  it('a changed leverage is accepted by hand, and only once', async () => {
    const config = rig.configOf({ id: 'trend', leverage: 3 });
    expect(await differences(config)).toEqual(['leverage']);
    const accepted = await decide(config, 'adopt', 'trend');
    expect(accepted.exitCode, accepted.stderr).toBe(0);
    expect(accepted.stdout).toContain('trend keeps 0.002 BTCUSDT with the leverage');
    expect(await differences(config)).toEqual([]);
    const again = await decide(config, 'adopt', 'trend');
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('there is nothing to adopt');
  }, 60_000);

  it('another strategy adopts the position, and its profit begins there', async () => {
    const config = rig.configOf({ id: 'other' });
    expect(await differences(config)).toContain('renamed');
    const adopted = await decide(config, 'adopt', 'trend');
    expect(adopted.exitCode, adopted.stderr).toBe(0);
    expect(adopted.stdout).toContain('other has 0.002 BTCUSDT from the next start on');
    expect(await differences(config)).toEqual([]);
    expect((await run(config)).exitCode).toBe(0);
    expect(rig.positions()).toMatchObject([{ symbol: 'BTCUSDT', quantity: 0.002 }]);
  }, 60_000);

  it('a retired strategy is closed at the next start, before anything trades', async () => {
    const config = rig.configOf({ id: 'fresh', symbol: 'ETHUSDT' });
    expect(await differences(config)).toEqual(['orphan']);
    const retired = await decide(config, 'retire', 'other', '--close', '--reason', 'it lost');
    expect(retired.exitCode, retired.stderr).toBe(0);
    expect(retired.stdout).toContain('the next start closes 0.002 BTCUSDT');
    expect(await differences(config)).toEqual(['retired']);
    const result = await run(config);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(rig.positions()).toMatchObject([{ symbol: 'ETHUSDT', quantity: 0.05 }]);
    expect(await differences(config)).toEqual([]);
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 60_000);

  it('a retired strategy without a close leaves its position and stop without an owner', async () => {
    const config = rig.configOf({ id: 'long' });
    const retired = await decide(config, 'retire', 'fresh');
    expect(retired.exitCode, retired.stderr).toBe(0);
    expect(retired.stdout).toContain('0.05 ETHUSDT has no owner');
    expect(await differences(config)).toEqual([]);
    expect((await run(config)).exitCode).toBe(0);
    expect(
      rig
        .positions()
        .map(({ symbol }) => symbol)
        .sort(),
    ).toEqual(['BTCUSDT', 'ETHUSDT']);
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  }, 60_000);

  it.each([
    ['rename of an unknown id', { id: 'trend' }, ['rename', 'nobody', 'trend'], /it has .*long/],
    ['rename of a configured id', {}, ['rename', 'long', 'trend'], /long is still configured/],
    [
      'rename to an id that is not configured',
      { id: 'trend' },
      ['rename', 'long', 'tend'],
      /no strategy tend is configured: .*the ids are trend/,
    ],
    [
      'rename to an id that has traded',
      { id: 'fresh' },
      ['rename', 'long', 'fresh'],
      /fresh has orders or a state of its own .* sluice strategy adopt long/,
    ],
    [
      'rename to a strategy of another symbol',
      { id: 'eth', symbol: 'ETHUSDT' },
      ['rename', 'long', 'eth'],
      /long holds BTCUSDT, which eth does not trade/,
    ],
    [
      'adoption that no strategy can take',
      { id: 'eth', symbol: 'ETHUSDT' },
      ['adopt', 'long'],
      /no configured strategy trades BTCUSDT, which long holds: .*sluice strategy retire long/,
    ],
    ['retirement of a configured id', {}, ['retire', 'long'], /or sluice strategy stop long$/m],
  ] as const)('a %s is refused with its remedy', async (_what, settings, words, text) => {
    const result = await decide(rig.configOf(settings), ...words);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(text);
    expect(result.stdout).toBe('');
  });

  it('the journal of another account and a folder without one are refused', async () => {
    const other = await decide(rig.configOf({ id: 'trend' }, 'else'), 'rename', 'long', 'trend');
    expect(other.exitCode).toBe(4);
    expect(other.stderr).toContain('belongs to account bot, not else');
    const nowhere = await runSluice(['strategy', 'retire', 'long', join(rig.stateDir, 'none')]);
    expect(nowhere.exitCode).toBe(2);
  });

  it('while a daemon runs the decision is refused, and the journal stays as it is', async () => {
    const config = rig.configOf({ id: 'trend' });
    const listeners = new Set<(signal: 'SIGINT') => void>();
    const daemon = runSluice(['run', '--config', rig.configOf({}), '--json'], {
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    let status: CliResult;
    do status = await runSluice(['status', rig.stateDir, '--json']);
    while (!status.stdout.includes('"mode":"TRADING"'));
    const refused = await decide(config, 'rename', 'long', 'trend');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/a daemon runs on .*: stop the daemon/);
    for (const listener of listeners) listener('SIGINT');
    expect((await daemon).exitCode).toBe(0);
    expect(await differences(rig.configOf({}))).toEqual([]);
  }, 60_000);
});
