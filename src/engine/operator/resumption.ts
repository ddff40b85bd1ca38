import type { EffectSink } from '../../execution/effects.js';
import type { Reconciliation } from '../reconciliation/reconciliation.js';
import type { ResumeScope, TradingState } from '../trading-state.js';
import type { LeverageSettings } from '../watch/leverage-settings.js';

export interface ResumptionParts {
  readonly effects: EffectSink;
  readonly tradingState: TradingState;
  readonly leverage: LeverageSettings;
  readonly reconciliation: Pick<Reconciliation, 'newestReadAgrees' | 'restart' | 'readPositions'>;
  readonly isFlattening: () => boolean;
  /** Resumes the suspended targets of the symbol's strategies. */
  readonly resumeTargets: (symbol: string) => void;
}

/** The operator's command `resume`: the end of latched restrictions and of the kill switch. */
export class Resumption {
  readonly #parts: ResumptionParts;
  /** Commands that wait for the reconciliation. */
  #waiting: ResumeScope[] = [];

  constructor(parts: ResumptionParts) {
    this.#parts = parts;
  }

  /** A command before the account is reconciled waits for it. Targets resume in any case. */
  resume(scope: ResumeScope): void {
    const { tradingState, resumeTargets } = this.#parts;
    const { symbol } = scope;
    if (symbol !== undefined) resumeTargets(symbol);
    if (tradingState.isReady || tradingState.haltReason !== undefined) this.#execute(scope);
    else {
      this.#waiting.push(scope);
      if (this.#hasWork(scope)) this.#note('info', scope, 'waits for the reconciliation');
    }
  }

  /** The account is reconciled. */
  onReady(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const scope of waiting) this.#execute(scope);
  }

  /** A later kill withdraws the commands for the account that still wait: they would end it. */
  withdraw(): void {
    const withdrawn = this.#waiting.filter(isOfAccount);
    this.#waiting = this.#waiting.filter((scope) => !isOfAccount(scope));
    for (const scope of withdrawn)
      if (this.#hasWork(scope)) this.#note('info', scope, 'is withdrawn by a later kill');
  }

  /** Why the command would be refused now, with the remedy; undefined: it would not. */
  objection({ symbol }: ResumeScope): string | undefined {
    const { tradingState, reconciliation, isFlattening } = this.#parts;
    const { haltReason, killLevel } = tradingState;
    if (haltReason !== undefined)
      return `the run ends: ${haltReason}. Remove the cause, then start again`;
    if (tradingState.isKeyRefused)
      return 'the venue refuses the key. Renew the key; trading then resumes by itself';
    if (symbol === undefined && isFlattening())
      return 'a flatten is not complete. Wait until sluice status shows it flat; to withdraw it, stop the daemon and start it with sluice run --drop-flatten';
    if (symbol !== undefined && killLevel !== undefined)
      return `the kill switch stands (${killLevel}). Resume the account first: sluice resume`;
    // Before that the command waits for the read.
    if (tradingState.isReady && !reconciliation.newestReadAgrees)
      return "the venue's positions, read after our last change, do not equal ours. Review them (sluice status), wait for a read that agrees or adopt the symbol, then resume again";
    return undefined;
  }

  #execute(scope: ResumeScope): void {
    if (!this.#hasWork(scope)) {
      if (scope.symbol === undefined) this.#note('info', scope, 'nothing is latched');
      return;
    }
    const objection = this.objection(scope);
    if (objection !== undefined) {
      this.#note('warn', scope, `is refused: ${objection}`);
      return;
    }
    const { symbol } = scope;
    const { leverage } = this.#parts;
    if (symbol === undefined || leverage.failure(symbol) === undefined) this.#end(scope);
    else
      leverage.retry(symbol, (failure) => {
        if (failure === undefined) this.#end(scope);
        else
          this.#note(
            'warn',
            scope,
            `is refused: ${failure}. Change strategies[].leverage or the leverage at the venue`,
          );
      });
  }

  #end(scope: ResumeScope): void {
    const { tradingState, reconciliation } = this.#parts;
    for (const { control, cause } of tradingState.resume(scope, causeOf(scope)))
      this.#note('info', scope, `${control} ended: ${cause}`);
    if (scope.symbol !== undefined || tradingState.isReady) return;
    reconciliation.restart();
    reconciliation.readPositions();
  }

  /** Whether there is something to end. */
  #hasWork({ symbol }: ResumeScope): boolean {
    const { restrictions, killLevel } = this.#parts.tradingState;
    const isLatched = restrictions.some(
      (each) => each.class === 'latching' && each.symbol === symbol,
    );
    return isLatched || (symbol === undefined && killLevel !== undefined);
  }

  #note(level: 'info' | 'warn', { symbol }: ResumeScope, text: string): void {
    const name = symbol === undefined ? 'resume' : `resume ${symbol}`;
    this.#parts.effects.notify({ level, text: `${name}: ${text}` });
  }
}

const isOfAccount = ({ symbol }: ResumeScope): boolean => symbol === undefined;

const causeOf = ({ reason }: ResumeScope): string =>
  reason === undefined ? 'resumed by a person' : `resumed by a person: ${reason}`;
