import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../../../src/cli/command-io.js';
import type { Keyboard } from '../../../src/core/ports.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { runSluice, temporaryFolder, type CliResult } from './cli-runner.js';
import { serveSandbox, type ServedSandbox } from './served-sandbox.js';

/** Lines that a test types, at a terminal. */
export const typedLines = (...lines: readonly string[]): Keyboard => {
  const left = [...lines];
  return { isTerminal: true, readLine: () => Promise.resolve(left.shift()) };
};

/** A served sandbox, and a person with a configuration for it. */
export class AccountCliRig {
  readonly served: ServedSandbox;
  readonly config: string;
  readonly secret: string;
  readonly stateDir: string;
  readonly #folder = temporaryFolder();

  private constructor(served: ServedSandbox, risk: string, venue: string) {
    this.served = served;
    const { path } = this.#folder;
    this.secret = join(path, 'secret');
    this.config = join(path, 'config.yaml');
    this.stateDir = join(path, 'state');
    mkdirSync(this.stateDir);
    writeFileSync(this.secret, served.sandbox.secret, { mode: 0o600 });
    const { baseUrl, wsUrl } = served.server;
    writeFileSync(
      this.config,
      `mode: sandbox
account: desk
venue: { base_url: '${baseUrl}', ws_url: '${wsUrl}', api_secret_file: secret${venue} }
state_dir: '${this.stateDir}'
poll_ms: 500
strategies:
  - { id: btc, use: sma-cross, symbols: [BTCUSDT], leverage: 2, size: { notional: '100' } }
risk: ${risk}
`,
    );
  }

  static async open(
    options: SandboxOptions & { readonly risk?: string; readonly venue?: string } = {},
  ): Promise<AccountCliRig> {
    const { risk = '{ preset: standard }', venue = '', ...sandbox } = options;
    return new AccountCliRig(await serveSandbox(sandbox), risk, venue);
  }

  get exchange() {
    return this.served.sandbox.exchange;
  }

  /** One command with `--config`. */
  run(line: string, io: Partial<Io> = {}): Promise<CliResult> {
    return runSluice([...line.split(' '), '--config', this.config], io);
  }

  /** The same, read as JSON. */
  async runJson(line: string, io: Partial<Io> = {}) {
    const cliResult = await this.run(`${line} --json`, io);
    return {
      ...cliResult,
      json: cliResult.stdout === '' ? undefined : JSON.parse(cliResult.stdout),
    };
  }

  async faults(rules: readonly object[]): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const url = `${this.served.server.baseUrl}/sandbox/faults`;
    await fetch(url, { method: 'PUT', headers, body: JSON.stringify(rules) });
  }

  async close(): Promise<void> {
    await this.served.close();
    this.#folder.remove();
  }
}
