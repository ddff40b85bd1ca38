import { AssertionError } from '../../core/assert.js';
import { openTimeOf } from '../../core/interval.js';
import { recover } from '../../execution/recovery/recovery.js';
import { configFromYaml, type SluiceConfig } from '../../config/config.js';
import { ConfigError } from '../../core/command-errors.js';
import { loadRestartedStrategies } from '../../live/strategies/restarted-strategies.js';
import { loadStrategies } from '../../live/strategies/load-strategies.js';
import { buildEngine } from '../../live/bot/build-engine.js';
import type { IndexPorts } from './index/journal-index.js';
import { JournalComparison, sessionJournal } from './index/session-journal.js';
import {
  sessionCommands,
  sessionTruncations,
  eventsOf,
  type Session,
} from './index/session-log.js';
import type { TracedCandle, StrategySubscription } from './index/trace-store.js';
import { ReplayTracer } from './replay-tracer.js';

export interface CandleReplay {
  readonly subscriptions: readonly StrategySubscription[];
  /** Every candle up to the target. */
  readonly traced: readonly TracedCandle[];
  /** The replay made the decisions of the journal. */
  readonly agrees: boolean;
  /** The reason why the replay failed. */
  readonly failure?: string;
}

interface CandleRef {
  readonly symbol: string;
  readonly time: number;
}

/** Venue ms after which a missing candle no longer arrives; feeds repair gaps within minutes. */
const LATE_CANDLE_MS = 24 * 60 * 60_000;

/**
 * Replays the events of a session on a new engine until every strategy has handled the target candle.
 * The engine is deterministic, so the replay shows what happened, if the code is unchanged. The journal
 * records prove that. Changed code may fail to follow the events at all.
 *
 * @param target the symbol, and ms UTC within the candle
 */
export async function replayUntil(
  target: CandleRef,
  session: Session,
  directory: string,
  ports: IndexPorts,
): Promise<CandleReplay> {
  const { configPath, configText, operator } = session.header;
  const config = configFromYaml(configPath, new TextEncoder().encode(configText));
  const configured = operator === undefined ? config.strategies : [];
  const subscriptions = configured.map(({ id, symbols, interval }) => ({
    strategy: id,
    symbols,
    interval,
  }));
  const affected = subscriptions.filter(({ symbols }) => symbols.includes(target.symbol));
  const traced: TracedCandle[] = [];
  if (affected.length === 0) return { subscriptions, traced, agrees: true };
  try {
    const pending = new Set(affected.map(({ strategy }) => strategy));
    const agrees = await replaySession({
      target,
      session,
      directory,
      ports,
      config,
      traced,
      pending,
    });
    return { subscriptions, traced, agrees };
  } catch (error) {
    if (!isCodeMismatch(error)) throw error;
    return { subscriptions, traced, agrees: false, failure: error.message };
  }
}

/** Errors of changed code: a failed assertion, or a strategy that no longer exists. */
const isCodeMismatch = (error: unknown): error is Error =>
  error instanceof AssertionError || error instanceof RangeError || error instanceof ConfigError;

interface ReplayInputs {
  readonly target: CandleRef;
  readonly session: Session;
  readonly directory: string;
  readonly ports: IndexPorts;
  readonly config: SluiceConfig;
  readonly traced: TracedCandle[];
  /** Strategies that have not handled the target candle yet. */
  readonly pending: Set<string>;
}

/** @returns whether the replay made the decisions of the journal */
async function replaySession(replayInputs: ReplayInputs): Promise<boolean> {
  const { target, session, directory, ports, config, traced, pending } = replayInputs;
  const strategies = await loadStrategies(config);
  const { priorRecords, sessionRecords } = await sessionJournal(session, directory, ports);
  const comparison = new JournalComparison(sessionRecords);
  const tracer: ReplayTracer = new ReplayTracer({
    state: () => ({
      mode: engine.mode,
      position: (symbol) => engine.positions.quantity(symbol, engine.currency),
      venueTime: () => engine.facts.venueTime,
    }),
    onRecord: (record) => {
      comparison.add(record);
    },
    onCandle: (host, candle) => {
      traced.push(candle);
      const targetOpenTime = openTimeOf(host.interval, target.time);
      const isTarget = candle.trace.symbol === target.symbol && candle.openTime === targetOpenTime;
      if (isTarget) pending.delete(host.id);
    },
  });
  const stopAtCalls = await sessionTruncations(ports, directory, session);
  const commands = await sessionCommands(ports, directory, session);
  const restarts = await loadRestartedStrategies(config, commands);
  const inputs = { config, strategies, restarts, stopAtCalls, observer: tracer };
  const engine = buildEngine(inputs, tracer, recover(priorRecords, config.account));
  try {
    for await (const event of eventsOf(ports, directory, session, ports.progress)) {
      engine.handle(event);
      await comparison.compare();
      if (pending.size === 0 || event.venueTime > target.time + LATE_CANDLE_MS) break;
    }
  } finally {
    await comparison.close();
  }
  return !comparison.differs;
}
