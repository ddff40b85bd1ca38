import { resolve } from 'node:path';
import type { AccountSnapshot } from '../core/account.js';
import { numberFromFixed } from '../core/fixed.js';
import type { Cancel, Clock, Files, Logger, Net, Random, Scheduler } from '../core/ports.js';
import { Engine } from '../engine/engine.js';
import type { OperatorDesk } from '../engine/operator/operator-seat.js';
import { Outbox } from '../engine/outbox.js';
import { Recorder } from '../engine/recorder.js';
import type { Note } from '../execution/effects.js';
import { isEnd } from '../execution/order/order-state.js';
import { recover, type Recovery } from '../execution/recovery/recovery.js';
import type { ProcessFacts } from '../execution/log/state-lock.js';
import { createGate } from '../risk/gate.js';
import { leadingPlace, type CodePlace } from '../strategy/host/failure-place.js';
import { StrategyLoadError } from '../strategy/loader/load-error.js';
import type { HostWatch } from '../strategy/host/strategy-host.js';
import type { Loss } from '../strategy/thread/thread-form.js';
import type { FuturesApiOptions } from '../venue/futures-api/create-futures-api.js';
import type { SecretSource } from '../venue/futures-api/secret.js';
import type { Venue } from '../venue/venue.js';
import { AT_ONCE, Bot, type Reach } from './bot.js';
import { LIVE_BASE } from './bot-market.js';
import { openBotVenue, type BotVenue } from './bot-venue.js';
import type { SluiceConfig } from './config.js';
import { StartError } from './failure.js';
import { refuseLeverage } from './limit-conflicts.js';
import { checkListed } from './listed-symbols.js';
import { watchFunding } from './paper/funding-watch.js';
import { planOf } from './plan/plan.js';
import { tellPlan } from './plan/tell-plan.js';
import { seatsOf, usdtPerUnit, type SeatInputs, type ThreadedStrategy } from './seats.js';
import { SizeCheck } from './size-check.js';
import type { Gzip } from './record/closed-part.js';
import { openStateFolder, type StateFolder, type StateOwner } from './state-folder.js';
import { VenueClock } from './venue-clock.js';
import { openVenueTime, type VenueTime } from './venue-time.js';

export interface BotPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly files: Files;
  readonly net: Net;
  readonly facts: ProcessFacts;
  /** Absent: at once, in the bot's own thread. */
  readonly gzip?: Gzip;
}

export interface WireOptions {
  readonly config: SluiceConfig;
  readonly strategies: SeatInputs['strategies'];
  /** A session of a person's own, with the symbol to trade, if any. No strategy runs in it. */
  readonly operator?: { readonly desk?: OperatorDesk };
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Only a paper run can do without. */
  readonly secret?: SecretSource;
  readonly stateDir: string;
  readonly ports: BotPorts;
  readonly logger: Logger;
  /** Where the secret was read, for messages. */
  readonly secretFrom?: string;
  /** What a person must do when the venue refuses the key in mid-run. */
  readonly keyAdvice?: string;
  /** Told to people beside the log: the command line shows some of it. */
  readonly notice?: (note: Note) => void;
  /** Told what the strategies do with their candles. */
  readonly watch?: HostWatch;
  /** Tries what the venue is asked at the start again; absent: it is asked once. */
  readonly reach?: Reach;
  /** Journal records after which a start or stop compacts; absent: the default. */
  readonly compactAfter?: number;
  /** Bytes of the record after which it goes on in another file; absent: the default. */
  readonly recordPartBytes?: number;
  /** A kill switch that is set does not refuse: the session takes back and closes alone. */
  readonly evenIfKilled?: boolean;
}

/**
 * Builds the bot from ports alone: the daemon hands in Node's, a simulation its own. Everything that
 * may refuse to start does so here, before anything is sent.
 *
 * @throws StateHeldError, SafetyRefusal, LogCorruptError, VenueError, VenueUrlError
 */
export async function createBot(options: WireOptions): Promise<Bot> {
  const { ports, stateDir } = options;
  const venueClock = new VenueClock(ports.clock, ports.scheduler);
  const { reach = AT_ONCE } = options;
  const time = await reach(() => venueTime(options, venueClock));
  const state = await openStateFolder(stateDir, ownerOf(options, time), {
    ...ports,
    venueTime: venueClock.now(),
    keepDays: options.config.recordKeepDays,
    note: (note) => {
      tellNotes(options, [note]);
    },
    ...(options.compactAfter !== undefined && { compactAfter: options.compactAfter }),
    ...(options.recordPartBytes !== undefined && { recordPartBytes: options.recordPartBytes }),
    ...(options.evenIfKilled !== undefined && { evenIfKilled: options.evenIfKilled }),
  });
  tellNotes(options, state.notes);
  try {
    const symbols = symbolsOf(options);
    const failed = (error: unknown): void => {
      bot.fail(error);
    };
    const parts = { ...options, venueClock, time, state, symbols, failed };
    const past = await knownOfThePast(ports.facts);
    const venue = await openBotVenue({ ...parts, ...past });
    const bot = assemble(options, { venueClock, time, state, venue, symbols });
    return bot;
  } catch (error) {
    await state.abandon();
    throw await withPlace(error, options);
  }
}

/** What tells how long ago an earlier process sent what it sent. */
async function knownOfThePast(
  facts: ProcessFacts,
): Promise<Pick<FuturesApiOptions, 'processAgeMs' | 'boot'>> {
  const id = await facts.bootId();
  const sinceMs = facts.sinceBootMs?.bind(facts);
  return {
    processAgeMs: facts.ageMs?.() ?? 0,
    ...(id !== '' && sinceMs !== undefined && { boot: { id, sinceMs } }),
  };
}

/** A strategy that did not return when it was made: its thread knows the line. */
async function withPlace(error: unknown, { strategies }: WireOptions): Promise<unknown> {
  if (!(error instanceof StrategyLoadError)) return error;
  for (const strategy of strategies) {
    const found = 'thread' in strategy ? await strategy.thread.autopsy() : undefined;
    if (found !== undefined) return new StrategyLoadError(`${error.message}\n  ${found}`);
  }
  return error;
}

function tellNotes({ logger }: WireOptions, notes: StateFolder['notes']): void {
  for (const { level, text, fields } of notes) logger[level](fields ?? {}, text);
}

const venueTime = (options: WireOptions, venueClock: VenueClock): Promise<VenueTime> => {
  const { ports, logger, config, baseUrl } = options;
  const failed = (error: unknown): void => {
    logger.debug({ error: String(error) }, 'the sandbox did not tell its time');
  };
  const sandboxOnly = config.mode !== 'paper';
  return openVenueTime({ ...ports, baseUrl, venueClock, failed }, { sandboxOnly });
};

/** A paper account is the folder's own: whoever tells its prices, and how often that one began anew. */
const ownerOf = ({ config, baseUrl }: WireOptions, { instanceId }: VenueTime): StateOwner => {
  const { account, mode } = config;
  if (mode === 'paper') return { account, venue: `paper on ${baseUrl}` };
  return { account, venue: baseUrl, ...(instanceId !== undefined && { instance: instanceId }) };
};

interface Opened {
  readonly venueClock: VenueClock;
  readonly time: VenueTime;
  readonly state: StateFolder;
  readonly venue: BotVenue;
  readonly symbols: readonly string[];
}

function assemble(options: WireOptions, opened: Opened): Bot {
  const { config, ports, logger } = options;
  const { venueClock, time, state, venue, symbols } = opened;
  const { clock, scheduler } = ports;
  const outbox = createOutbox(options, { venueClock, state, venue, bot: () => bot });
  const lost = (strategy: ThreadedStrategy, loss: Loss): void => {
    bot.push({ kind: 'strategy-lost', strategy: strategy.config.id, ...loss });
    void tellAutopsy(strategy, options, (place) =>
      engine.hosts.find(({ id }) => id === strategy.config.id)?.located(place),
    );
  };
  const inputs = { ...options, lost };
  const recovered = recover(state.records, config.account);
  const engine = buildEngine(inputs, outbox, recovered);
  if (options.operator === undefined) tellPlan(planOf(config, state.records), logger);
  time.follow();
  const bot = new Bot({
    engine,
    outbox,
    recorder: new Recorder(state.record, {
      v: 1,
      configPath: resolve(config.path),
      configText: config.text,
      journalStart: state.recordsEver,
      ...(options.operator !== undefined && { operator: options.operator }),
    }),
    logs: [state.record, state.journal],
    records: state.records,
    venue,
    venueClock,
    clock,
    scheduler,
    logger,
    symbols,
    held: heldIn(recovered),
    watchFunding: (asking, know) => {
      if (venue.rates === undefined) return NO_RATES(logger);
      return watchFunding({
        api: venue.rates,
        symbols: asking,
        know,
        venueTimer: (at, run) => venueClock.after(at, run),
        venueNow: () => venueClock.now(),
        scheduler,
        logger,
      });
    },
    pollMs: config.pollMs,
    checkListed: (listed) => {
      if (options.operator !== undefined) return;
      checkListed(config, listed);
      refuseLeverage(config);
    },
    checkAccount: accountCheck(options, engine),
    keyRefused: (cause) => new StartError(keyRefusedText(options, cause)),
    keyAdvice: options.operator === undefined ? (options.keyAdvice ?? NEW_KEY) : undefined,
    readTime: () => time.refresh(),
    reach: options.reach ?? AT_ONCE,
    release: async () => {
      time.stop();
      await venue.close();
      const told = state.notes.length;
      await state.release();
      tellNotes(options, state.notes.slice(told));
    },
  });
  return bot;
}

/** Sizes against limits and the venue's minimum, once the account is known. */
function accountCheck({ config, operator, logger }: WireOptions, engine: Engine) {
  const { currency, facts, prices } = engine;
  const check = new SizeCheck({
    config,
    currency,
    logger,
    usdtOf: (amount) => {
      const rate = usdtPerUnit(config.venue);
      if (currency === 'USDT') return numberFromFixed(amount);
      return rate === undefined ? undefined : numberFromFixed(amount) * rate;
    },
    instrument: (symbol) => facts.instrument(symbol),
    lastPrice: (symbol) => prices.last(symbol),
    hasOrders: (symbol) => engine.ledger.active(symbol, currency).length > 0,
  });
  return (snapshot: AccountSnapshot): void => {
    if (operator === undefined) check.see(snapshot);
  };
}

/** The line is known a moment after the strategy has been ended. */
async function tellAutopsy(
  { config: { id }, thread }: ThreadedStrategy,
  { logger, notice }: WireOptions,
  located: (place: CodePlace) => void,
): Promise<void> {
  const found = await thread.autopsy();
  if (found === undefined) return;
  const place = leadingPlace(found);
  if (place !== undefined) located(place);
  const note: Note = { level: 'error', text: `${id}: ${found}`, fields: { strategy: id } };
  logger.error(note.fields ?? {}, note.text);
  notice?.(note);
}

const NO_RATES = (logger: Logger): Cancel => {
  logger.warn({}, 'A strategy asks for funding, and without a key nobody tells it');
  return () => undefined;
};

const symbolsOf = ({ strategies, operator }: WireOptions): readonly string[] => [
  ...new Set([
    ...strategies.flatMap((strategy) => strategy.config.symbols),
    ...(operator?.desk === undefined ? [] : [operator.desk.symbol]),
  ]),
];

const heldIn = ({ positions, orders }: Recovery): readonly string[] => [
  ...new Set([
    ...positions.map(({ symbol }) => symbol),
    ...orders.flatMap(({ state, intent }) => (isEnd(state) ? [] : [intent.terms.symbol])),
  ]),
];

interface OutboxWorld {
  readonly venueClock: VenueClock;
  readonly state: StateFolder;
  readonly venue: Venue;
  /** It exists by the time anything is carried out. */
  readonly bot: () => Bot;
}

function createOutbox({ ports, logger, notice }: WireOptions, world: OutboxWorld): Outbox {
  const { clock, scheduler } = ports;
  const { venueClock, state, venue, bot } = world;
  const fail = (error: unknown): void => {
    bot().fail(error);
  };
  return new Outbox({
    journal: state.journal,
    record: state.record,
    slot: (requestId, request, priority) => {
      const granted = (): void => {
        bot().push({ kind: 'slot', requestId });
      };
      // At once where that can be: the intent and its attempt are then durable by one write.
      if (venue.slotNow(request, priority)) granted();
      else venue.slot(request, priority).then(granted, fail);
    },
    send: (requestId, request) => {
      venue.send(request).then((reply) => {
        bot().answer(requestId, reply);
      }, fail);
    },
    venueNow: () => venueClock.now(),
    unsent: (requestId, reply) => {
      bot().push({ kind: 'reply', requestId, reply });
    },
    timer: (kind, at, run) =>
      kind === 'venue'
        ? venueClock.after(at, run)
        : scheduler.after(Math.max(0, at - clock.monotonicMs()), run),
    fire: (key) => {
      bot().push({ kind: 'timer', key });
    },
    notify: (note) => {
      logger[note.level](note.fields ?? {}, note.text);
      notice?.(note);
    },
    failed: (error) => {
      bot().journalFailed(error);
    },
    rescue: (error) => state.rescue(error),
  });
}

const keyRefusedText = ({ baseUrl, secretFrom }: WireOptions, cause: string): string =>
  `${baseUrl} refuses the key${secretFrom === undefined ? '' : ` from ${secretFrom}`}: ${cause}. ` +
  'Put the secret of a key that is valid there, and start again with the same state_dir';

const NEW_KEY = 'give it the secret of a key that is valid';

/** What an engine is made of, live and in a replay alike. */
export interface EngineInputs extends SeatInputs {
  readonly config: Pick<SluiceConfig, 'account' | 'mode' | 'venue' | 'riskSettings'>;
}

export function buildEngine(
  inputs: EngineInputs,
  effects: ConstructorParameters<typeof Engine>[0]['effects'],
  recovered: Recovery,
): Engine {
  const { account, mode, venue } = inputs.config;
  return new Engine({
    account,
    currency: venue.tradeCurrency,
    base: LIVE_BASE,
    seats: seatsOf(inputs),
    gate: createGate(inputs.config.riskSettings),
    effects,
    recovered,
    fences: mode !== 'live',
    byHand: inputs.operator !== undefined,
    ...(venue.inrRate !== undefined && { hedgeRate: venue.inrRate.value }),
  });
}
