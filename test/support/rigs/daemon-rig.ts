import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Io } from '../../../src/cli/command-io.js';
import type { StatusReport } from '../../../src/live/status/status-report.js';
import { runSluice, temporaryFolder, type CliResult } from './cli-runner.js';
import { serveSandbox, type ServedSandbox } from './served-sandbox.js';

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const HOARDER = fixture('bench/unknown-orders/resting-orders.ts');
const FLIP_FLOP = fixture('test/fixtures/flip-flop.ts');

/** A daemon in this process, and its operator's keys. */
export interface RunningDaemon {
  readonly ended: Promise<CliResult>;
  /** As a signal; by default Ctrl-C. */
  press(signal?: 'SIGINT' | 'SIGTERM'): void;
  /** As SIGUSR2. */
  signalKill(): void;
}

/** A served sandbox, one bot on it, and the command line of its operator. */
export class DaemonRig {
  readonly served: ServedSandbox;
  readonly config: string;
  readonly stateDir: string;
  readonly folder = temporaryFolder();

  private constructor(served: ServedSandbox, stateName: string) {
    this.served = served;
    const { path } = this.folder;
    const secret = join(path, 'secret');
    this.stateDir = join(path, stateName);
    this.config = join(path, 'bot.yaml');
    writeFileSync(secret, served.sandbox.secret, { mode: 0o600 });
    writeFileSync(this.config, this.configText('bot'));
  }

  /** One strategy rests orders below a position, the other turns its position round all the time. */
  static async open(stateName = 'state'): Promise<DaemonRig> {
    return new DaemonRig(await serveSandbox({ clock: { kind: 'fast', factor: 20 } }), stateName);
  }

  configText(account: string): string {
    const { baseUrl, wsUrl } = this.served.server;
    return `mode: sandbox
account: ${account}
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: '${join(this.folder.path, 'secret')}' }
state_dir: '${this.stateDir}'
on_stop: keep
poll_ms: 500
log_level: warn
strategies:
  - { id: hoarder, use: '${HOARDER}', symbols: [BTCUSDT], isolation: none, size: { notional: '100' }, params: { rungs: 2 } }
  - { id: flip, use: '${FLIP_FLOP}', symbols: [ETHUSDT], isolation: none, size: { notional: '100' }, params: { every: 2 } }
risk: { preset: standard, max_position_notional: { usdt: '2000', pct_equity: 90 } }
`;
  }

  start(...args: readonly string[]): RunningDaemon {
    const stops = new Set<Parameters<Io['onSignal']>[0]>();
    const kills = new Set<() => void>();
    const ended = runSluice(['run', '--config', this.config, '--json', ...args], {
      onSignal: (listener) => {
        stops.add(listener);
        return () => stops.delete(listener);
      },
      onKillSignal: (listener) => {
        kills.add(listener);
        return () => kills.delete(listener);
      },
    });
    return {
      ended,
      press: (signal = 'SIGINT') => {
        for (const listener of stops) listener(signal);
      },
      signalKill: () => {
        for (const listener of kills) listener();
      },
    };
  }

  /** A command on this bot, by its configuration. */
  run(...args: readonly string[]): Promise<CliResult> {
    return runSluice([...args, '--config', this.config]);
  }

  async status(): Promise<StatusReport> {
    const { stdout } = await this.run('status', '--json');
    return JSON.parse(stdout) as StatusReport;
  }

  /** Repeats the status until it holds. @throws with the last one after 30 s */
  async statusWhen(holds: (status: StatusReport) => boolean): Promise<StatusReport> {
    let last: unknown;
    for (let tries = 0; tries < 300; tries += 1) {
      const { exitCode, stdout, stderr } = await this.run('status', '--json');
      if (exitCode === 0) {
        const status = JSON.parse(stdout) as StatusReport;
        if (holds(status)) return status;
        last = status;
      } else last = stderr;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the status never held: ${JSON.stringify(last)}`);
  }

  /** The daemon trades, with a position and a resting order of the hoarder. */
  trading(): Promise<StatusReport> {
    return this.statusWhen(
      ({ running, mode, orders, positions }) =>
        running &&
        mode === 'TRADING' &&
        orders.some(({ strategy, state }) => strategy === 'hoarder' && state === 'accepted') &&
        positions.some(({ symbol }) => symbol === 'BTCUSDT'),
    );
  }

  /** Open orders and positions at the exchange. */
  atVenue(): { readonly orders: number; readonly positions: number } {
    const { exchange } = this.served.sandbox;
    return {
      orders: exchange.openOrders('USDT').length,
      positions: exchange.positions('USDT').length,
    };
  }

  async faults(rules: readonly object[]): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const url = `${this.served.server.baseUrl}/sandbox/faults`;
    await fetch(url, { method: 'PUT', headers, body: JSON.stringify(rules) });
  }

  async close(): Promise<void> {
    await this.served.close();
    this.folder.remove();
  }
}
