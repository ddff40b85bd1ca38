import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSluice, temporaryFolder } from '../support/rigs/cli-runner.js';
import { serveSandbox, type ServedSandbox } from '../support/rigs/served-sandbox.js';

const folder = temporaryFolder();
let served: ServedSandbox;
beforeAll(async () => {
  served = await serveSandbox({ clock: { kind: 'fast', factor: 60 }, limits: false });
});
afterAll(async () => {
  await served.close();
  folder.remove();
});

interface ConfigSpec {
  readonly name: string;
  readonly risk?: string;
  readonly size?: string;
  readonly state?: string;
  readonly baseUrl?: string;
}

/** A configuration on the shared sandbox; its `risk:` keys begin in line 13. */
function configOf({ name, risk = '', size = "quantity: '0.002'", state, baseUrl }: ConfigSpec) {
  const secret = join(folder.path, 'secret');
  writeFileSync(secret, 'sandbox-secret\n');
  chmodSync(secret, 0o600);
  const base = baseUrl ?? served.server.baseUrl;
  const path = join(folder.path, `${name}.yaml`);
  writeFileSync(
    path,
    `mode: sandbox
account: bot
venue: { base_url: '${base}', ws_url: '${base.replace('http', 'ws')}', api_secret_file: ${secret} }
state_dir: ${join(folder.path, state ?? name)}
on_stop: flatten
strategies:
  - id: long
    use: ${resolve('test/fixtures/constant-target.ts')}
    symbols: [BTCUSDT]
    isolation: none
    size: { ${size} }
risk:
  symbols_allow: [BTCUSDT]
  ${risk}
`,
  );
  return path;
}

const risk = (...args: readonly string[]) => runSluice(['risk', ...args]);
const json = async (...args: readonly string[]) => {
  const { exitCode, stdout } = await risk(...args, '--json');
  return { exitCode, ...JSON.parse(stdout) };
};

describe('sluice risk show', () => {
  it('shows each limit with its value, its money and its origin', async () => {
    const config = configOf({ name: 'show', risk: 'max_drawdown_pct: 12' });
    const shown = await json('show', config, '--equity', '2000');
    expect(shown).toMatchObject({ exitCode: 0, preset: 'standard', equity_usdt: '2000' });
    const limitOf = (key: string) =>
      shown.limits.find((row: { readonly key: string }) => row.key === key);
    expect(limitOf('max_drawdown_pct')).toMatchObject({
      control: 'R21',
      value: '12',
      unit: '% of equity',
      money: '240',
      origin: `${config}:14:21`,
      class: 'latching',
    });
    expect(limitOf('max_leverage')).toMatchObject({ value: '3', origin: 'preset standard' });
    expect(limitOf('kill_switch')).toMatchObject({ value: 'on', origin: 'no switch' });
    const text = (await risk('show', config)).stdout;
    expect(text).toContain('preset standard: every control refuses');
    expect(text).toMatch(/R21 +│ max_drawdown_pct +│ +12 % of equity +│ +– │/);
  });

  it('notes a limit that is looser than the preset, and one that a tighter key makes pointless', async () => {
    const config = configOf({ name: 'notes', risk: 'max_drawdown_pct: 20' });
    expect((await risk('show', config)).stdout).toContain(
      `note: risk.max_drawdown_pct 20 % of equity (${config}:14:21) is looser than 15 % of equity of preset standard\n`,
    );
    const tight = configOf({ name: 'tight', risk: 'max_net_exposure_pct: 100' });
    expect((await json('show', tight)).notes).toEqual([]);
    const gross = configOf({ name: 'gross', risk: 'max_gross_exposure_pct: 100' });
    expect((await json('show', gross)).notes).toEqual([
      'max_net_exposure_pct 150 % of equity is above max_gross_exposure_pct 100 % of equity: the net exposure is at most the gross exposure',
    ]);
  });

  it.each([
    ['a missing file', [join(folder.path, 'none.yaml')], 'there is no such file'],
    ['an equity below 0', ['a.yaml', '--equity', '-5'], 'Expected an amount above 0'],
    ['no file', [], "missing required argument 'config'"],
  ])('%s is refused with exit code 2', async (_name, args, text) => {
    const { exitCode, stdout, stderr } = await risk('show', ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(text);
  });

  it('a contradiction is refused with both places', async () => {
    const config = configOf({
      name: 'wrong',
      risk: 'daily_loss_limit_pct: { soft: 5, hard: 4 }',
    });
    const { exitCode, stderr } = await risk('show', config);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `${config}:14:33 risk.daily_loss_limit_pct.soft: 5 % of equity is not below risk.daily_loss_limit_pct.hard 4 % of equity (${config}:14:42)`,
    );
    expect((await runSluice(['run', '--config', config])).exitCode).toBe(2);
  });
});

describe('sluice risk with a real account', () => {
  it.each([
    ['test', []],
    ['what-if', ['--symbol', 'BTCUSDT', '--side', 'buy', '--quantity', '0.002']],
  ])('%s connects to no private address', async (command, words) => {
    const config = configOf({ name: `live-${command}` });
    const text = readFileSync(config, 'utf8').replace('mode: sandbox', 'mode: live');
    writeFileSync(config, text);
    const { exitCode, stderr } = await risk(command, config, ...words);
    expect(exitCode, stderr).toBe(1);
    expect(stderr).toContain('the address 127.0.0.1 is private');
  });
});

describe('sluice risk explain', () => {
  it('prints the page of a control by id and by key', async () => {
    const byKey = await risk('explain', 'max_drawdown_pct');
    expect(byKey.exitCode).toBe(0);
    expect(byKey.stdout).toMatch(/^R21 {2}drawdown\n/);
    expect(byKey.stdout).toMatch(/max_drawdown_pct +│ +10 % of equity │ +15 % of equity/);
    expect((await risk('explain', 'r21')).stdout).toBe(byKey.stdout);
    expect(await json('explain', 'R01')).toMatchObject({
      id: 'R01',
      class: 'reject',
      limits: [{ key: 'max_order_notional_usdt', cautious: '250', standard: '500' }, {}],
    });
  });

  it('lists every control without a name', async () => {
    const { controls } = await json('explain');
    expect(controls).toHaveLength(47);
    expect((await risk('explain')).stdout).toContain('kill switch');
  });

  it.each([
    [['max_drawdwn_pct'], 'did you mean "max_drawdown_pct"?'],
    [['R99'], 'there is no control or limit "R99"'],
    [['R01', 'R02'], 'too many arguments'],
  ])('%j is refused with exit code 2', async (args, text) => {
    const { exitCode, stderr } = await risk('explain', ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
  });
});

describe('sluice risk what-if', () => {
  const ORDER = ['--symbol', 'BTCUSDT', '--side', 'buy', '--quantity'];

  it('an order within the limits of the account at the venue is allowed', async () => {
    const config = configOf({ name: 'if' });
    const { exitCode, stdout } = await risk('what-if', config, ...ORDER, '0.002');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/R01 +│ order notional +│ +[\d.]+ │ +500 │ +[\d.]+ │ USDT +│ passes/);
    expect(stdout).toMatch(
      /\nallowed: buy 0.002 BTCUSDT, at the market; approved by \d+ controls\n$/,
    );
  });

  it('an order beyond three limits is refused by each, with exit code 4', async () => {
    const config = configOf({ name: 'if' });
    const result = await json('what-if', config, ...ORDER, '0.05', '--stop-loss', '1000');
    expect(result).toMatchObject({ exitCode: 4, allowed: false });
    const refusing = result.controls.filter(
      ({ verdict }: { readonly verdict: string }) => verdict === 'refuses',
    );
    expect(refusing).toMatchObject([
      { control: 'R01', limit: '500', unit: 'USDT' },
      { control: 'R12', limit: '1000', unit: 'USDT' },
      { control: 'R17', limit: '100', unit: 'USDT' },
    ]);
    expect(Number(refusing[0].margin)).toBeLessThan(0);
    expect(result.text).toMatch(/^R01: order notional .* is above 500 USDT/);
  });

  it('without a venue the facts are given, and nothing is connected', async () => {
    const config = configOf({ name: 'offline', baseUrl: 'http://127.0.0.1:9' });
    const facts = ['--offline', '--equity', '1000', '--last-price', '60000'];
    const limit = ['--type', 'limit', '--price', '59990'];
    const result = await json('what-if', config, ...ORDER, '0.004', ...limit, ...facts);
    expect(result).toMatchObject({ exitCode: 0, allowed: true });
    const share = await json('what-if', config, ...ORDER, '0.005', ...facts);
    expect(share).toMatchObject({ exitCode: 4 });
    expect(share.text).toContain('order notional 300 is above 250 USDT (by its share of equity)');
    const unknown = await json('what-if', config, ...ORDER, '0.004', '--offline');
    expect(unknown).toMatchObject({ exitCode: 4 });
    expect(unknown.text).toContain('price of BTCUSDT is not known');
  });

  it('a preset that only counts allows the order and names the control', async () => {
    const config = configOf({ name: 'research', risk: 'preset: research' });
    const facts = ['--offline', '--equity', '1000', '--last-price', '60000'];
    const { exitCode, stdout } = await risk('what-if', config, ...ORDER, '0.1', ...facts);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('R01 would refuse: order notional 6000 is above 500 USDT');
  });

  it('the kill switch of the state folder is seen', async () => {
    const config = configOf({ name: 'killed' });
    mkdirSync(join(folder.path, 'killed'), { mode: 0o700 });
    writeFileSync(join(folder.path, 'killed', 'KILL'), '');
    const result = await json('what-if', config, ...ORDER, '0.002');
    expect(result).toMatchObject({ exitCode: 4 });
    expect(result.text).toContain('R30: the kill switch is on (cancel)');
  });

  it.each([
    [['--symbol', 'BTCUSDT', '--side', 'buy'], 2, "'--quantity <units>' is missing"],
    [[...ORDER, '0'], 2, 'Expected an amount above 0'],
    [[...ORDER, '1', '--type', 'limit'], 2, 'a limit order has a --price'],
    [['--symbol', 'XYZUSDT', '--side', 'buy', '--quantity', '1'], 2, 'does not list XYZUSDT'],
  ])('%j is refused', async (args, code, text) => {
    const { exitCode, stdout, stderr } = await risk('what-if', configOf({ name: 'if' }), ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(stderr).toContain(text);
  });

  it('a venue that cannot be reached is told with the options that replace it', async () => {
    const config = configOf({ name: 'down', baseUrl: 'http://127.0.0.1:9' });
    const { exitCode, stderr } = await risk('what-if', config, ...ORDER, '0.002');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the venue http://127.0.0.1:9 cannot be read');
    expect(stderr).toContain('--offline --equity AMOUNT');
  });
});

describe('sluice risk test', () => {
  it('judges the entries of every strategy at its size', async () => {
    const config = configOf({ name: 'test' });
    const result = await json('test', config);
    expect(result).toMatchObject({
      exitCode: 0,
      allowed: true,
      entries: [
        { strategy: 'long', symbol: 'BTCUSDT', side: 'buy', quantity: '0.002', allowed: true },
        { strategy: 'long', symbol: 'BTCUSDT', side: 'sell', quantity: '0.002', allowed: true },
      ],
    });
    const large = configOf({ name: 'large', size: "quantity: '0.02'" });
    const { exitCode, stdout } = await risk('test', large);
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(
      /long buy BTCUSDT: R01 refuses: order notional [\d.]+ is above 500 USDT/,
    );
  });

  it('a size that follows the equity is cut to the headroom, as in a run', async () => {
    const config = configOf({ name: 'pct', size: 'equity_pct: 40' });
    const facts = ['--offline', '--equity', '1000', '--price', 'BTCUSDT=60000'];
    const { entries } = await json('test', config, ...facts);
    expect(entries[0]).toMatchObject({ quantity: '0.004', notional_usdt: '240', allowed: true });
  });

  it('an entry that cannot be sized is not allowed', async () => {
    const config = configOf({ name: 'test' });
    const { exitCode, stdout } = await risk('test', config, '--offline', '--equity', '1000');
    expect(exitCode).toBe(4);
    expect(stdout).toContain('the price of BTCUSDT is not known: add --price BTCUSDT=PRICE');
  });

  it.each([
    [['--price', 'BTCUSDT'], 'Expected SYMBOL=PRICE'],
    [['--price', 'BTCUSDT=0'], 'Expected an amount above 0'],
    [['--pric', 'BTCUSDT=1'], 'Did you mean --price?'],
  ])('%j is refused with exit code 2', async (args, text) => {
    const { exitCode, stderr } = await risk('test', configOf({ name: 'test' }), ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
  });
});

describe('looser limits', () => {
  const runOf = (config: string) =>
    runSluice(['run', '--config', config, '--duration', '2s', '--json']);

  it('a start with looser limits is refused until they are accepted', async () => {
    const tight = configOf({ name: 'tight', state: 'accepted', risk: 'max_leverage: 2' });
    const loose = configOf({ name: 'loose', state: 'accepted', risk: 'max_leverage: 5' });
    expect((await runOf(tight)).exitCode).toBe(0);

    const refused = await runOf(loose);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain(`${loose}:14:17 max_leverage from 2 x to 5 x`);
    expect(refused.stderr).toContain(`sluice risk accept ${loose}`);

    const unconfirmed = await risk('accept', loose);
    expect(unconfirmed.exitCode).toBe(2);
    expect(unconfirmed.stderr).toContain('add --yes');
    expect((await runOf(loose)).exitCode).toBe(4);

    expect(await json('accept', loose, '--yes')).toMatchObject({
      exitCode: 0,
      accepted: true,
      loosened: ['max_leverage from 2 x to 5 x'],
    });
    const state = join(folder.path, 'accepted');
    expect(statSync(join(state, 'risk.key')).mode & 0o777).toBe(0o600);
    expect((await risk('accept', loose, '--yes')).stdout).toContain('are accepted already');

    const accepted = await runOf(loose);
    expect(accepted.exitCode, accepted.stderr).toBe(0);
    expect(accepted.stderr).toContain('is looser than 3 x of preset standard');
    expect(JSON.parse(readFileSync(join(state, 'risk-limits.json'), 'utf8'))).toMatchObject({
      record: { limits: { max_leverage: '5' } },
    });
    expect((await risk('accept', loose)).stdout).toContain('no limit allows more');
    expect((await runOf(tight)).exitCode).toBe(0);
  }, 60_000);

  it.each([
    [['none.yaml'], 2, 'there is no such file'],
    [[], 2, "missing required argument 'config'"],
    [['config/demo.yaml', '--yes'], 2, 'has a new state folder: there is nothing to accept'],
  ])('accept %j is refused', async (args, code, text) => {
    const { exitCode, stderr } = await risk('accept', ...args);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(text);
  });
});
