import { fileURLToPath } from 'node:url';
import type { Clock, Files, Random, Scheduler } from '../../core/ports.js';
import { createSandbox } from '../../sandbox/sandbox.js';
import { listen } from '../../sandbox/http/server.js';
import { freshSecret } from '../../io/node/fresh-secret.js';
import type { ScratchFolder } from '../../io/node/scratch-folder.js';
import { ChaosBot } from './chaos-bot.js';
import {
  collectScenarioEvidence,
  verifyEvidence,
  readFinishedJournal,
  type ScenarioEvidence,
  type ExpectedOutcome,
  type ScenarioFinding,
  type SandboxStateView,
  type BotSummary,
} from './verification.js';
import { ChaosProxy } from './chaos-proxy.js';

/** One failure, and the expected outcome. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Explains the failure to the user. */
  readonly description: string;
  readonly symbol: string;
  readonly expected: ExpectedOutcome;
  /** Starts the bot and causes the failure. Resolves when the outcome can be verified. */
  readonly run: (setup: ScenarioSetup) => Promise<void>;
}

export interface ScenarioSetup {
  readonly proxy: ChaosProxy;
  readonly bot: ChaosBot;
  /** Resolves when an order of the bot has triggered the fault. */
  waitForFault(): Promise<void>;
  /** Kills the bot and prints it. */
  kill(when: string): Promise<void>;
  /** Starts the bot again. Resolves when it trades. */
  restart(): Promise<void>;
  /** Resolves when the exchange shows a position. */
  waitForPosition(): Promise<void>;
  /** Resolves when the exchange has accepted the fence and its cancel. */
  waitForFence(): Promise<void>;
  print(text: string): void;
}

export interface ScenarioPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly files: Files;
}

export interface ScenarioOptions {
  readonly ports: ScenarioPorts;
  readonly seed: number;
  readonly folder: ScratchFolder;
  readonly program: string;
  readonly print: (text: string) => void;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}

export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly evidence: ScenarioEvidence;
  readonly findings: readonly ScenarioFinding[];
  readonly holds: boolean;
}

/** Runs a scenario with its own exchange and bot, and verifies the outcome. */
export async function runScenario(
  scenario: Scenario,
  options: ScenarioOptions,
): Promise<ScenarioResult> {
  const { ports, seed, folder, program, print, signal } = options;
  const sandbox = createSandbox({ seed, clock: { kind: 'real' }, secret: freshSecret() }, ports);
  const proxy = new ChaosProxy(sandbox);
  sandbox.start();
  const server = await listen(proxy.sandbox, { port: 0 });
  const stateDir = `${folder.path}/${scenario.name}`;
  const secret = await folder.write(`${scenario.name}.secret`, sandbox.secret);
  const text = configText({ ...server, secret, stateDir, symbol: scenario.symbol });
  const config = await folder.write(`${scenario.name}.yaml`, text);
  const bot = new ChaosBot({ config, program, scheduler: ports.scheduler, signal });
  try {
    const view = (): SandboxStateView => JSON.parse(sandbox.state()) as SandboxStateView;
    await scenario.run(createSetup({ proxy, bot, view, print, clock: ports.clock }));
    const summary = (await bot.stop()) as BotSummary | undefined;
    const records = await readFinishedJournal(ports.files, stateDir);
    const evidence = collectScenarioEvidence(scenario.symbol, view(), summary, records);
    const results = verifyEvidence(evidence, scenario.expected);
    return { scenario, evidence, findings: results, holds: results.every(({ holds }) => holds) };
  } finally {
    await bot.kill();
    await folder.write(`${scenario.name}.log`, bot.logs.join('--- killed ---\n'));
    sandbox.stop();
    await server.close();
  }
}

function createSetup(parts: {
  readonly proxy: ChaosProxy;
  readonly bot: ChaosBot;
  readonly view: () => SandboxStateView;
  readonly print: (text: string) => void;
  readonly clock: Clock;
}): ScenarioSetup {
  const { proxy, bot, view, print, clock } = parts;
  return {
    proxy,
    bot,
    print,
    waitForFault: () => bot.waitUntil('an order leaves the bot', () => proxy.wasTriggered),
    async kill(when) {
      const { pid } = bot;
      await bot.kill();
      print(`kill -9 ${pid}: ${when}`);
    },
    async restart() {
      const from = clock.monotonicMs();
      bot.start();
      await bot.waitUntilTrading();
      print(
        `started again; it trades after ${((clock.monotonicMs() - from) / 1_000).toFixed(1)} s`,
      );
    },
    waitForPosition: () =>
      bot.waitUntil('the exchange shows a position', () => view().positions.length > 0),
    waitForFence: () =>
      bot.waitUntil('the exchange has canceled the fence', () =>
        view().orders.some(({ status }) => status === 'CANCELLED'),
      ),
  };
}

/** The strategy file with the ending of this file: a source, or a built file. */
const STRATEGY = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './buy-once.ts' : './buy-once.js', import.meta.url),
);

const configText = (of: {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly secret: string;
  readonly stateDir: string;
  readonly symbol: string;
}): string => `mode: sandbox
account: chaos
venue: { base_url: '${of.baseUrl}', ws_url: '${of.wsUrl}', api_secret_file: '${of.secret}' }
state_dir: '${of.stateDir}'
on_stop: keep
strategies:
  - id: buy-once
    use: '${STRATEGY}'
    symbols: [${of.symbol}]
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 5 }
risk: { preset: standard, symbols_allow: [${of.symbol}] }
`;
