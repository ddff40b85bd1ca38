import { HEARTBEAT_CELL, unwatchedHeartbeat, type Heartbeat } from '../backtest/heartbeat.js';
import type { BacktestPlan } from '../backtest/plan.js';
import { reportOf } from '../backtest/result.js';
import { runBacktest, type BacktestRun } from '../backtest/run.js';
import { leverageFailureOf } from '../engine/start-failure.js';
import type { WarmUpRequirement } from '../market/candles/warm-up.js';
import type { HostObserver } from '../strategy/host/strategy-host.js';
import { decisionOf, DecisionLog, type StrategyDecision } from './check/decision.js';
import { variedPlan, type RunVariant } from './run-variant.js';

/** One further run of the strategies of a backtest, on a thread of its own. */
export interface VariantJob {
  readonly variant: RunVariant;
  /** Runs in a row on that thread. Default: 1. */
  readonly repeat?: number;
  /** The decisions of each run are needed. */
  readonly wantsDecisions?: boolean;
  /** Parameters beside those of the run, of its only strategy. */
  readonly params?: Readonly<Record<string, string>>;
  /** Fixed sizes are this many times as large. Default: 1. */
  readonly sizeFactor?: number;
  /** Candles that it runs, for the progress. */
  readonly candles: number;
}

/** Figures of one run. Money is in the run's currency. */
export interface RunFigures {
  readonly net: number;
  readonly return_pct: number | null;
  readonly max_drawdown_pct: number | null;
  readonly sharpe: number | null;
  readonly trades: number;
  readonly liquidations: number;
}

/** Warm-up that a strategy needs, by interval. */
export interface WarmUpNeeds {
  readonly strategy: string;
  readonly needs: readonly WarmUpRequirement[];
}

export interface VariantOutcome {
  readonly figures: RunFigures;
  /** Of each repetition; empty unless they were asked for. */
  readonly decisions: readonly (readonly StrategyDecision[])[];
  readonly needs: readonly WarmUpNeeds[];
  /** The first error of the strategy, which may have ended it. */
  readonly error: string | undefined;
}

/** Observes the strategies of a plan: give each of them `observerOf(id)`, then run. */
export class DecisionRecorder {
  readonly heartbeat: Heartbeat;
  #log = new DecisionLog();

  constructor(heartbeat: Heartbeat = unwatchedHeartbeat()) {
    this.heartbeat = heartbeat;
  }

  observerOf(strategy: string): HostObserver {
    return {
      onCandle: () => undefined,
      onIntent: (intent) => {
        const candle = this.heartbeat[HEARTBEAT_CELL.simulated] as number;
        this.#log.add(decisionOf(intent, candle, strategy));
      },
      onCandleHandled: () => undefined,
    };
  }

  /** The decisions since the last call. */
  take(): readonly StrategyDecision[] {
    const { decisions } = this.#log;
    this.#log = new DecisionLog();
    return decisions;
  }
}

/**
 * Runs a variant of a plan.
 * @param recorder observer of the plan's strategies; undefined: decisions are not recorded
 * @throws Error for a run without a result
 */
export function runVariant(
  plan: BacktestPlan,
  { variant, repeat = 1 }: Pick<VariantJob, 'variant' | 'repeat'>,
  recorder: DecisionRecorder | undefined,
): VariantOutcome {
  const decisions: (readonly StrategyDecision[])[] = [];
  let last: BacktestRun | undefined;
  const varied = variedPlan(plan, variant);
  for (let count = 0; count < repeat; count += 1) {
    last = runBacktest(count === 0 ? varied : variedPlan(plan, variant));
    if (recorder !== undefined) decisions.push(recorder.take());
  }
  if (last === undefined) throw new RangeError(`a variant runs ${repeat} times`);
  const failure = last.engine.haltReason ?? leverageFailureOf(last.engine);
  if (failure !== undefined) throw new Error(`it was halted: ${failure}`);
  if (last.candles === 0) throw new Error('it has no candle');
  const { result } = reportOf(varied, last, undefined, { run: '', engineMs: 0, loadMs: 0 });
  return {
    figures: {
      net: Number(result.net_profit),
      return_pct: result.return_pct,
      max_drawdown_pct: result.max_drawdown_pct,
      sharpe: result.sharpe,
      trades: result.trades,
      liquidations: result.liquidations,
    },
    decisions,
    needs: last.engine.hosts.map(({ id, needs }) => ({ strategy: id, needs })),
    error: last.engine.hosts.flatMap((host) => host.errors)[0]?.message,
  };
}
