import type { StrategyCommand } from '../core/events.js';
import type { EffectSink } from '../execution/effects.js';
import type { Journal } from '../execution/journal/journal.js';
import type { StrategyHost } from '../strategy/host/host.js';
import { StrategyLoadError } from '../strategy/loader/load-error.js';
import {
  attachStrategy,
  ReadOnlyStrategyPort,
  type EngineStrategyPortParts,
  type StrategyInstance,
} from './engine-strategy-port.js';
import type { CandleRouter } from './market/candle-router.js';

type StartCommand = Extract<StrategyCommand, { readonly kind: 'start-strategy' }>;
type PortParts = Omit<EngineStrategyPortParts, 'strategyId' | 'onTimer'>;

export interface StrategyRestartsParts {
  readonly hosts: StrategyHost[];
  readonly router: Pick<CandleRouter, 'replace'>;
  readonly effects: EffectSink;
  readonly journal: Journal;
  readonly portParts: PortParts;
  /** The strategies of this run are started. */
  readonly areStarted: () => boolean;
  /** The strategy of a start, by its id and number; undefined: it was not prepared. */
  readonly instanceOf:
    ((strategy: string, run: number) => StrategyInstance | undefined) | undefined;
}

/** Starts of single strategies while the engine runs. Each creates the strategy again from its durable state. */
export class StrategyRestarts {
  readonly #parts: StrategyRestartsParts;
  readonly #runs = new Map<string, number>();

  constructor(parts: StrategyRestartsParts) {
    this.#parts = parts;
  }

  /** Number of the start that the strategy's host comes from; undefined: that of the session. */
  runOf(strategy: string): number | undefined {
    return this.#runs.get(strategy);
  }

  /**
   * A trial: the strategy as it would be created now, for its warm-up and its streams.
   * @throws StrategyLoadError
   */
  create(instance: StrategyInstance): StrategyHost {
    const { portParts } = this.#parts;
    const onTimer = (): void => undefined;
    return instance.create(
      new ReadOnlyStrategyPort({ ...portParts, strategyId: instance.id, onTimer }),
    );
  }

  /** Its entries are canceled already. @returns whether the strategy has a new host */
  restart(previous: StrategyHost, { strategy, run = 0 }: StartCommand): boolean {
    const { hosts, router, portParts, instanceOf, areStarted } = this.#parts;
    const instance = instanceOf?.(strategy, run);
    previous.stop();
    if (instance === undefined) return this.#fail(strategy, 'its code was not prepared');
    try {
      const host = attachStrategy(instance, portParts);
      hosts[hosts.indexOf(previous)] = host;
      this.#runs.set(strategy, run);
      router.replace(previous, host);
      if (areStarted()) host.start();
      return true;
    } catch (error) {
      if (!(error instanceof StrategyLoadError)) throw error;
      return this.#fail(strategy, error.message);
    }
  }

  #fail(strategy: string, why: string): false {
    const text = `${strategy} cannot be started: ${why}`;
    this.#parts.journal.accountNote('error', text);
    this.#parts.effects.notify({ level: 'error', text, fields: { strategy } });
    return false;
  }
}
