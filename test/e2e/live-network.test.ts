import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeHostFacts } from '../../src/io/node/node-host-facts.js';
import { temporaryFolder } from '../support/rigs/cli-runner.js';
import {
  isPublicNetworkPossible,
  NAME,
  preparePublicNetwork,
  publicNetworkArgs,
} from '../support/rigs/public-network.mjs';

const RUN_MS = 900_000;
const folder = temporaryFolder();
const disk = await nodeHostFacts.diskOf(folder.path);
/** The interlock `state_disk` refuses other file systems, as it should. */
const isOnDisk = ['ext4', 'xfs', 'btrfs'].includes(disk?.fileSystem ?? '');

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}
interface Result {
  readonly unacknowledged: Ran;
  readonly untrusted: Ran;
  readonly doctor: Ran;
  readonly observe: Ran;
  readonly observed: readonly string[];
  readonly ordersAfterObserve: number;
  readonly live: Ran;
  readonly orders: readonly { readonly client_order_id?: string }[];
  readonly undecided: Ran;
  readonly renamed: Ran;
  readonly decided: Ran;
  /** With an open position, while the wallet cannot be read. */
  readonly waiting: Ran;
  /** Before the change of the id, and after the run that follows it. */
  readonly positions: readonly (readonly {
    readonly symbol: string;
    readonly quantity: string;
  }[])[];
  readonly replay: Ran;
}

const lastLine = ({ stdout }: Ran): unknown => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

const CONFIG = `mode: live
account: main
venue:
  base_url: https://${NAME}
  ws_url: wss://${NAME}
  api_secret_file: secret
state_dir: ${folder.path}/state
on_stop: keep
strategies:
  - id: btc
    use: ${resolve('test/fixtures/constant-target.ts')}
    symbols: [BTCUSDT]
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 5 }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

describe.skipIf(!isPublicNetworkPossible() || !isOnDisk)(
  'a live run on a venue behind https with a public name and address',
  () => {
    let result: Result;
    beforeAll(() => {
      preparePublicNetwork(folder.path);
      writeFileSync(`${folder.path}/live.yaml`, CONFIG);
      writeFileSync(`${folder.path}/secret`, 'a-secret-of-the-second-sandbox\n', { mode: 0o600 });
      const script = resolve('test/e2e/live-network.mjs');
      const args = publicNetworkArgs(folder.path, script, [folder.path]);
      const { PATH, HOME } = process.env;
      const stdout = execFileSync('unshare', args, { env: { PATH, HOME }, maxBuffer: 1e9 });
      result = JSON.parse(stdout.toString()) as Result;
    }, RUN_MS);
    afterAll(() => {
      folder.remove();
    });

    it('without the acknowledgement it sends nothing and exits with 4', () => {
      expect(result.unacknowledged.exitCode, result.unacknowledged.stderr).toBe(4);
      expect(result.unacknowledged.stderr).toContain('acknowledgement: the configuration does not');
      expect(result.unacknowledged.stderr).not.toContain('public_host');
    });

    it('an authority that nobody trusts ends the connection', () => {
      expect(result.untrusted.exitCode).toBe(4);
      expect(result.untrusted.stdout).toMatch(/"id":"api_key","severity":"hard","result":"failed"/);
    });

    it('the doctor finds everything in order for a run that observes', () => {
      expect(result.doctor.exitCode, result.doctor.stdout).toBe(0);
      expect(lastLine(result.doctor)).toMatchObject({ mode: 'observe', can_start: true });
    });

    it('the run that observes sends reads alone and says what it would have sent', () => {
      expect(result.observe.exitCode, result.observe.stderr).toBe(0);
      expect(result.observed.length).toBeGreaterThan(20);
      expect(result.observed.filter((each) => !each.startsWith('GET '))).toEqual([]);
      expect(result.observed).not.toContain('GET /sandbox/clock');
      expect(result.ordersAfterObserve).toBe(0);
      expect(result.observe.stderr).toMatch(/would send: buy 0\.\d+ BTCUSDT at market, stop/);
      const summary = lastLine(result.observe) as { would_send: number };
      expect(summary).toMatchObject({ orders_placed: 0, rejected: 0, reconciled: true });
      expect(summary.would_send).toBeGreaterThan(0);
    });

    it('the live run places each order once under faults, is reconciled, and replays', () => {
      expect(result.live.exitCode, result.live.stderr).toBe(0);
      expect(lastLine(result.live)).toMatchObject({
        reconciled: true,
        unknown: 0,
        would_send: null,
      });
      const ids = result.orders.flatMap(({ client_order_id: id }) => (id ? [id] : []));
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('a start that waits for the venue names the position that nothing attends to', () => {
      expect(result.waiting.exitCode, result.waiting.stderr).toBe(1);
      expect(result.waiting.stderr).toMatch(
        /no strategy attends to 0\.\d+ BTCUSDT while this start/,
      );
      expect(result.waiting.stderr).toContain('--level flatten closes what is open');
    });

    it('a strategy with another id starts only once a person has renamed it', () => {
      expect(result.undecided.exitCode, result.undecided.stderr).toBe(4);
      expect(result.undecided.stderr).toContain('sluice strategy rename btc btc-trend --config');
      expect(result.renamed.exitCode, result.renamed.stderr).toBe(0);
      expect(result.decided.exitCode, result.decided.stderr).toBe(0);
      const [before = [], after = []] = result.positions;
      expect(before).toHaveLength(1);
      expect(after).toMatchObject(before.map(({ symbol, quantity }) => ({ symbol, quantity })));
      expect(lastLine(result.replay)).toMatchObject({ identical: true });
    });
  },
);
