import { absolute, subtract, textFromFixed, type Quantity } from '../../core/fixed/fixed.js';
import type { ExternalChangeSource } from '../contract/strategy-port.js';
import type { OrderFactory } from './order-factory.js';

/** Messages about one symbol's target, for people. */
export class TargetLog {
  readonly #symbol: string;
  readonly #orderFactory: OrderFactory;

  constructor(symbol: string, orderFactory: OrderFactory) {
    this.#symbol = symbol;
    this.#orderFactory = orderFactory;
  }

  heldBeforeRestart(reason: string, by: ExternalChangeSource): void {
    this.#warn(
      `: its target was given up before the restart, because ${reason}. ${this.#hint(by)}`,
    );
  }

  held(change: TargetChange | undefined, reason: string, by: ExternalChangeSource): void {
    const what = change === undefined ? ': its target is given up' : givenUp(change);
    this.#warn(`${what}, because ${reason}. ${this.#hint(by)}`);
  }

  failed(change: TargetChange, reason: string): void {
    this.#warn(
      `${givenUp(change)}, because ${reason}. The same target requested again is a new decision`,
    );
  }

  resumed(): void {
    this.#info(': its target is active again');
  }

  waitsForAbandonedOrder(): void {
    this.#warn(' waits: the outcome of one of its orders is unknown, and the order may still fill');
  }

  waitsForMinimum({ desired, position }: TargetChange): void {
    const missing = textFromFixed(absolute(subtract(desired, position)));
    this.#info(` waits: ${missing} is below the venue's minimum order`);
  }

  /** Logs the first failure, the second, the fourth and so on, so that retries do not flood the log. */
  reductionFailed(attempts: number, reason: string): void {
    if ((attempts & (attempts - 1)) !== 0) return;
    const times = attempts === 1 ? '' : ` ${attempts} times`;
    this.#warn(`: a reduction failed${times} (${reason}); it is tried again`);
  }

  #hint(by: ExternalChangeSource): string {
    const action = by === 'hand' ? 'A different target' : 'A different target or an enter';
    return `${action} acts again, or start with --resume ${this.#symbol}`;
  }

  #warn(text: string): void {
    this.#orderFactory.log('warn', `${this.#symbol}${text}`);
  }

  #info(text: string): void {
    this.#orderFactory.log('info', `${this.#symbol}${text}`);
  }
}

/** A target and the position that has not reached it, both signed. */
export interface TargetChange {
  readonly desired: Quantity;
  readonly position: Quantity;
}

const givenUp = ({ desired, position }: TargetChange): string =>
  `: the target of ${textFromFixed(desired)} is given up at ${textFromFixed(position)}`;
