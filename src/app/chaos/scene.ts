import { fileURLToPath } from 'node:url';
import type { Clock, Files, Random, Scheduler } from '../../core/ports.js';
import { createSandbox } from '../../sandbox/sandbox.js';
import { listen } from '../../sandbox/server.js';
import { freshSecret } from '../ports/fresh-secret.js';
import type { ScratchFolder } from '../ports/scratch-folder.js';
import { ChaosBot } from './chaos-bot.js';
import {
  evidenceOf,
  findings,
  readJournal,
  type Evidence,
  type Expected,
  type Finding,
  type GodView,
  type Summary,
} from './proof.js';
import { Wire } from './wire.js';

/** One thing that goes wrong, and what has to hold afterwards. */
export interface Scene {
  readonly name: string;
  readonly title: string;
  /** What is about to happen, in plain words. */
  readonly story: string;
  readonly symbol: string;
  readonly expected: Expected;
  /** Lets it happen to a bot that was started; ends when nothing more is to come. */
  readonly play: (stage: Stage) => Promise<void>;
}

export interface Stage {
  readonly wire: Wire;
  readonly bot: ChaosBot;
  /** An order of the bot has met the trouble on the wire. */
  met(): Promise<void>;
  /** Kills the bot and says so. */
  kill(when: string): Promise<void>;
  /** Starts it again; resolves when it trades. */
  restart(): Promise<void>;
  /** The exchange shows a position. */
  filled(): Promise<void>;
  /** The exchange has taken the fence, and its cancel. */
  fenced(): Promise<void>;
  tell(text: string): void;
}

export interface ScenePorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly files: Files;
}

export interface SceneOptions {
  readonly ports: ScenePorts;
  readonly seed: number;
  readonly folder: ScratchFolder;
  readonly program: string;
  readonly tell: (text: string) => void;
  /** The user has seen enough. */
  readonly signal: AbortSignal;
}

export interface SceneResult {
  readonly scene: Scene;
  readonly evidence: Evidence;
  readonly findings: readonly Finding[];
  readonly holds: boolean;
}

/** An exchange and a bot of its own, and what became of them. */
export async function playScene(scene: Scene, options: SceneOptions): Promise<SceneResult> {
  const { ports, seed, folder, program, tell, signal } = options;
  const inner = createSandbox({ seed, clock: { kind: 'real' }, secret: freshSecret() }, ports);
  const wire = new Wire(inner);
  inner.start();
  const server = await listen(wire.sandbox, { port: 0 });
  const stateDir = `${folder.path}/${scene.name}`;
  const secret = await folder.write(`${scene.name}.secret`, inner.secret);
  const text = configText({ ...server, secret, stateDir, symbol: scene.symbol });
  const config = await folder.write(`${scene.name}.yaml`, text);
  const bot = new ChaosBot({ config, program, scheduler: ports.scheduler, signal });
  try {
    const view = (): GodView => JSON.parse(inner.state()) as GodView;
    await scene.play(stageOf({ wire, bot, view, tell, clock: ports.clock }));
    const summary = (await bot.stop()) as Summary | undefined;
    const records = await readJournal(ports.files, stateDir);
    const evidence = evidenceOf(scene.symbol, view(), summary, records);
    const found = findings(evidence, scene.expected);
    return { scene, evidence, findings: found, holds: found.every(({ holds }) => holds) };
  } finally {
    await bot.kill();
    await folder.write(`${scene.name}.log`, bot.logs.join('--- killed ---\n'));
    inner.stop();
    await server.close();
  }
}

function stageOf(parts: {
  readonly wire: Wire;
  readonly bot: ChaosBot;
  readonly view: () => GodView;
  readonly tell: (text: string) => void;
  readonly clock: Clock;
}): Stage {
  const { wire, bot, view, tell, clock } = parts;
  return {
    wire,
    bot,
    tell,
    met: () => bot.until('an order leaves the bot', () => wire.hasMet),
    async kill(when) {
      const { pid } = bot;
      await bot.kill();
      tell(`kill -9 ${pid}: ${when}`);
    },
    async restart() {
      const from = clock.monotonicMs();
      bot.start();
      await bot.trades();
      tell(`started again; it trades after ${((clock.monotonicMs() - from) / 1_000).toFixed(1)} s`);
    },
    filled: () => bot.until('the exchange shows a position', () => view().positions.length > 0),
    fenced: () =>
      bot.until('the exchange has canceled the fence', () =>
        view().orders.some(({ status }) => status === 'CANCELLED'),
      ),
  };
}

/** This file's own kind: the sources, or what was built of them. */
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
