import { resolve } from 'node:path';
import { recordedText } from '../../config/recorded-text.js';
import type { ProcessFacts } from '../../core/ports.js';
import { assert } from '../../core/assert.js';
import type { StrategyInstance } from '../../engine/engine.js';
import { Outbox } from '../../engine/outbox.js';
import { Recorder } from '../../engine/recorder.js';
import { isEndState } from '../../execution/order/order-state.js';
import { bootClockOf } from '../../io/net/clock-reading.js';
import { recover, type Recovery } from '../../execution/recovery/recovery.js';
import type { WorkerFailure } from '../../strategy/isolation/worker-strategy-proxy.js';
import type { FuturesApiOptions } from '../../venue/futures-api/http/create-futures-api.js';
import { Bot } from './bot.js';
import { NO_RETRY } from './bot-parts.js';
import { accountCheck, checkLimits, listedCheck } from './bot-checks.js';
import type { BotOptions } from './bot-options.js';
import { openBotVenue, type BotVenue } from './bot-venue.js';
import { buildEngine, restartedInstance } from './build-engine.js';
import { EffectRunner } from './effect-runner.js';
import { StartError } from '../../core/command-errors.js';
import { createStartPlan } from '../plan/start-plan.js';
import { logPlan } from '../plan/plan-text.js';
import type { LoadedStrategy, ThreadedStrategy } from '../strategies/strategy-instances.js';
import { logFailureLocation, withFailureLocation } from '../strategies/strategy-failures.js';
import { SavedInstruments } from '../state/saved-instruments.js';
import { openStateFolder, type StateFolder } from '../state/state-folder.js';
import { stateOwnerOf } from '../state/state-owner.js';
import { VenueClock } from '../clock/venue-clock.js';
import { ClockSkewFeed } from '../clock/clock-skew-feed.js';
import { openVenueTimeSync, TIME_SOURCES, type VenueTimeSync } from '../clock/venue-time-sync.js';

/**
 * Builds the bot from ports alone: the daemon passes Node's, a simulation its own. Every refusal of a start
 * happens here, before anything is sent.
 *
 * @throws StateHeldError, SafetyRefusal, LogCorruptError, VenueError, VenueUrlError
 */
export async function createBot(options: BotOptions): Promise<Bot> {
  const { ports, stateDir } = options;
  const venueClock = new VenueClock(ports.clock, ports.scheduler);
  const { withRetry = NO_RETRY } = options;
  const time = await withRetry(() => openTimeSync(options, venueClock));
  const owner = stateOwnerOf(options.config, options.baseUrl, time.instanceId);
  const state = await openStateFolder(stateDir, owner, {
    ...ports,
    venueTime: venueClock.now(),
    keepDays: options.config.recordKeepDays,
    note: (note) => {
      logNotes(options, [note]);
    },
    ...(options.compactAfter !== undefined && { compactAfter: options.compactAfter }),
    ...(options.recordPartBytes !== undefined && { recordPartBytes: options.recordPartBytes }),
    ...(options.allowKilled !== undefined && { allowKilled: options.allowKilled }),
  });
  logNotes(options, state.notes);
  try {
    await checkLimits(options);
    const symbols = symbolsOf(options);
    const failed = (error: unknown): void => {
      bot.fail(error);
    };
    const parts = { ...options, venueClock, time, state, symbols, failed };
    const processTimes = await processTimesOf(ports.facts);
    const venue = await openBotVenue({ ...parts, ...processTimes });
    const bot = assemble(options, { venueClock, time, state, venue, symbols });
    return bot;
  } catch (error) {
    await state.abandon();
    throw await withFailureLocation(error, options.strategies);
  }
}

/** Age of this process and of the machine's boot, which bound the age of previous requests. */
async function processTimesOf(
  facts: ProcessFacts,
): Promise<Pick<FuturesApiOptions, 'processAgeMs' | 'boot'>> {
  return { processAgeMs: facts.ageMs?.() ?? 0, ...(await bootClockOf(facts)) };
}

function logNotes({ logger }: BotOptions, notes: StateFolder['notes']): void {
  for (const { level, text, fields } of notes) logger[level](fields ?? {}, text);
}

const openTimeSync = (options: BotOptions, venueClock: VenueClock): Promise<VenueTimeSync> => {
  const { ports, logger, config, baseUrl } = options;
  const onFailed = (error: unknown): void => {
    logger.debug({ error: String(error) }, 'the sandbox did not report its time');
  };
  return openVenueTimeSync({ ...ports, baseUrl, venueClock, onFailed }, TIME_SOURCES[config.mode]);
};

interface BotResources {
  readonly venueClock: VenueClock;
  readonly time: VenueTimeSync;
  readonly state: StateFolder;
  readonly venue: BotVenue;
  readonly symbols: readonly string[];
}

function assemble(options: BotOptions, opened: BotResources): Bot {
  const { config, ports, logger } = options;
  const { time, state } = opened;
  const runner = new EffectRunner({ ...opened, ...ports, logger, notice: options.notice });
  const outbox = new Outbox(runner);
  const onFailed = (strategy: ThreadedStrategy, failure: WorkerFailure): void => {
    const { run } = strategy;
    const id = strategy.config.id;
    bot.push({
      kind: 'strategy-lost',
      strategy: id,
      ...(run !== undefined && { run }),
      ...failure,
    });
    void logFailureLocation(strategy, options, (place) =>
      engine.hosts.find(({ id }) => id === strategy.config.id)?.setFailureLocation(place),
    );
  };
  const recovered = recover(state.records, config.account);
  const inputs = { ...options, onFailed };
  const engine = buildEngine(inputs, outbox, recovered);
  if (options.operator === undefined) logPlan(createStartPlan(config, state.records), logger);
  time.start();
  const bot = new Bot({
    ...opened,
    ...ports,
    engine,
    outbox,
    runner,
    logger,
    recorder: startRecorder(options, state),
    logs: [state.record, state.journal],
    records: state.records,
    openSymbols: openSymbolsIn(recovered),
    tryStrategy: (strategy) => engine.tryStrategy(instanceFor(inputs, strategy)),
    pollMs: config.pollMs,
    // A paper account keeps its own.
    savedInstruments:
      config.mode === 'paper'
        ? undefined
        : new SavedInstruments({ files: ports.files, stateDir: options.stateDir, logger }),
    checkListed: listedCheck(options),
    checkAccount: accountCheck(options, engine),
    keyRefusedError: (cause) => new StartError(keyRefusedText(options, cause)),
    keyAdvice:
      options.operator === undefined ? (options.keyAdvice ?? DEFAULT_KEY_ADVICE) : undefined,
    withRetry: options.withRetry ?? NO_RETRY,
    release: () => {
      skew.stop();
      return release(options, opened);
    },
  });
  const skew = new ClockSkewFeed({
    ...opened,
    ...ports,
    push: (event) => {
      bot.push(event);
    },
  });
  // A sandbox's clock may run fast or be set.
  if (time.instanceId === undefined) skew.start();
  runner.connect(bot);
  return bot;
}

function instanceFor(
  inputs: Parameters<typeof restartedInstance>[0],
  strategy: LoadedStrategy | ThreadedStrategy,
): StrategyInstance {
  const instance = restartedInstance({ ...inputs, onFailed: () => undefined }, strategy);
  assert(instance !== undefined, 'A strategy has its instance');
  return instance;
}

const startRecorder = ({ config, operator, ports }: BotOptions, state: StateFolder): Recorder =>
  new Recorder(state.record, {
    v: 1,
    configPath: resolve(config.path),
    configText: recordedText(config),
    journalStart: state.totalRecords,
    ...(ports.version !== undefined && { program: ports.version }),
    ...(operator !== undefined && { operator }),
  });

async function release(options: BotOptions, { time, venue, state }: BotResources): Promise<void> {
  time.stop();
  await venue.close();
  const loggedCount = state.notes.length;
  await options.beforeRelease?.();
  await state.release();
  logNotes(options, state.notes.slice(loggedCount));
}

const symbolsOf = ({ strategies, operator }: BotOptions): readonly string[] => [
  ...new Set([
    ...strategies.flatMap((strategy) => strategy.config.symbols),
    ...(operator?.desk === undefined ? [] : [operator.desk.symbol]),
  ]),
];

const openSymbolsIn = ({ positions, orders }: Recovery): readonly string[] => [
  ...new Set([
    ...positions.map(({ symbol }) => symbol),
    ...orders.flatMap(({ state, intent }) => (isEndState(state) ? [] : [intent.terms.symbol])),
  ]),
];

const keyRefusedText = ({ baseUrl, secretFrom }: BotOptions, cause: string): string =>
  `${baseUrl} refuses the key${secretFrom === undefined ? '' : ` from ${secretFrom}`}: ${cause}. ` +
  'Put the secret of a key that is valid there, and start again with the same state_dir';

const DEFAULT_KEY_ADVICE = 'give it the secret of a key that is valid';
