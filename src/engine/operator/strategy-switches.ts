import type { EventTime, StrategyCommand } from '../../core/events.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { StrategySwitch } from '../../execution/recovery/recovered-switches.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { StrategyRestarts } from '../strategy-restarts.js';
import type { StrategyClose } from './strategy-close.js';

export interface StrategySwitchesParts {
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
  readonly journal: Journal;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly hosts: readonly StrategyHost[];
  readonly close: StrategyClose;
  readonly restarts: Pick<StrategyRestarts, 'restart'>;
  /** Switches that previous runs left set. */
  readonly recovered?: ReadonlyMap<string, StrategySwitch>;
}

const OFF: StrategySwitch = { isStopped: false, isClosing: false, isPaused: false, cause: '' };

/**
 * Stops and pauses of single strategies by a person. They stand over restarts, and a repeated command changes
 * nothing.
 */
export class StrategySwitches {
  readonly #parts: StrategySwitchesParts;
  readonly #switches: Map<string, StrategySwitch>;

  constructor(parts: StrategySwitchesParts) {
    this.#parts = parts;
    this.#switches = new Map(parts.recovered);
  }

  /** Stops the hosts that a person stopped in a previous run, before any of them is started. */
  restore(): void {
    for (const host of this.#parts.hosts) {
      const { isStopped, isClosing } = this.of(host.id);
      if (isStopped) host.stop();
      if (isClosing) this.#parts.close.start(host.id, host.symbols);
    }
    for (const [id, { symbols = [] }] of this.#retired()) this.#parts.close.start(id, symbols);
  }

  /** The positions of an id that is not configured are being closed, and a strategy trades their symbols. */
  get closesForStart(): boolean {
    if (this.#switches.size === 0) return false;
    const traded = new Set(this.#parts.hosts.flatMap((host) => host.symbols));
    return this.#retired().some(([, { symbols = [] }]) => symbols.some((each) => traded.has(each)));
  }

  #retired(): readonly (readonly [string, StrategySwitch])[] {
    return [...this.#switches].filter(
      ([id, { isClosing }]) => isClosing && this.#parts.hosts.every((host) => host.id !== id),
    );
  }

  execute(command: StrategyCommand): void {
    const host = this.#parts.hosts.find(({ id }) => id === command.strategy);
    if (host === undefined) {
      this.#note('warn', command.strategy, 'no such strategy is configured');
      return;
    }
    switch (command.kind) {
      case 'stop-strategy':
        this.#stop(host, command);
        return;
      case 'pause-strategy':
        this.#pause(host, command);
        return;
      case 'resume-strategy':
        this.#resume(host, command.reason);
        return;
      case 'start-strategy':
        this.#start(host, command);
    }
  }

  /** Its switch now; a pause whose end has passed is off. */
  of(strategy: string): StrategySwitch {
    const found = this.#switches.get(strategy);
    if (found === undefined) return OFF;
    const { pausedUntil } = found;
    if (pausedUntil === undefined || this.#parts.stamp.venueTime < pausedUntil) return found;
    const { pausedUntil: _end, ...rest } = found;
    return { ...rest, isPaused: false };
  }

  /** A person stopped it, in this run or before. */
  isStopped(strategy: string): boolean {
    return this.#switches.get(strategy)?.isStopped === true;
  }

  /** Why an entry of the strategy may not leave; undefined: its switch is off. */
  entryHold(strategy: string): string | undefined {
    if (this.#switches.size === 0) return undefined;
    const { isStopped, isPaused, pausedUntil, cause } = this.of(strategy);
    if (isStopped) return `${strategy} is stopped: ${cause}`;
    if (!isPaused) return undefined;
    const end = pausedUntil === undefined ? '`sluice resume`' : new Date(pausedUntil).toISOString();
    return `${strategy} is paused until ${end}: ${cause}`;
  }

  onClosed(strategy: string): void {
    const before = this.#switches.get(strategy);
    if (before?.isClosing !== true) return;
    const { symbols: _closed, ...rest } = before;
    const isConfigured = this.#parts.hosts.some((host) => host.id === strategy);
    this.#set(strategy, { ...rest, isStopped: isConfigured, isClosing: false });
    this.#note('info', strategy, 'its positions are closed');
  }

  #stop(
    host: StrategyHost,
    { close, reason }: Extract<StrategyCommand, { readonly kind: 'stop-strategy' }>,
  ): void {
    const { id, symbols } = host;
    const before = this.of(id);
    if (!before.isStopped || (close && !before.isClosing)) {
      this.#set(id, { ...before, isStopped: true, isClosing: close, cause: reason });
      this.#note('warn', id, close ? 'stopped, and its positions are closed' : 'stopped');
    }
    host.stop();
    this.#cancelEntries(id);
    if (close) this.#parts.close.start(id, symbols);
  }

  #start(
    host: StrategyHost,
    command: Extract<StrategyCommand, { readonly kind: 'start-strategy' }>,
  ): void {
    const { id } = host;
    const before = this.of(id);
    if (command.run !== undefined) {
      this.#cancelEntries(id);
      if (!this.#parts.restarts.restart(host, command)) return;
    }
    this.#parts.close.withdraw(id);
    if (before.isStopped)
      this.#set(id, { ...before, isStopped: false, isClosing: false, cause: command.reason });
    this.#note('info', id, 'started');
  }

  #pause(
    { id }: StrategyHost,
    { until, reason }: Extract<StrategyCommand, { readonly kind: 'pause-strategy' }>,
  ): void {
    const { pausedUntil: end, ...before } = this.of(id);
    if (before.isPaused && end === until) return;
    const pausedUntil = until !== undefined && { pausedUntil: until };
    this.#set(id, { ...before, isPaused: true, ...pausedUntil, cause: reason });
    this.#note('warn', id, 'paused: only its exits leave');
  }

  #resume({ id }: StrategyHost, reason: string): void {
    const { pausedUntil: _end, ...before } = this.of(id);
    if (this.#switches.get(id)?.isPaused !== true) {
      this.#note('info', id, 'is not paused');
      return;
    }
    this.#set(id, { ...before, isPaused: false, cause: reason });
    this.#note('info', id, 'the pause has ended');
  }

  #set(strategy: string, next: StrategySwitch): void {
    this.#parts.journal.strategy(strategy, next);
    if (next.isStopped || next.isPaused) this.#switches.set(strategy, next);
    else this.#switches.delete(strategy);
  }

  /** Reductions stay: they are exits. */
  #cancelEntries(strategy: string): void {
    const { ledger, protocol } = this.#parts;
    for (const order of [...ledger.allOpenOrders()])
      if (order.owner === strategy && !order.terms.reduceOnly) protocol.cancel(order);
  }

  #note(level: 'info' | 'warn', strategy: string, text: string): void {
    this.#parts.effects.notify({ level, text: `${strategy}: ${text}`, fields: { strategy } });
  }
}
