import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { Amount, Price, Quantity, Ratio } from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import type { TransferReport } from '../../core/account.js';
import type { ProtectiveOrderSlot } from '../../core/request.js';
import { AMEND_MACHINE, type AmendEnd, type AmendEvent, type AmendState } from './amend-state.js';
import {
  LEVERAGE_MACHINE,
  type LeverageEnd,
  type LeverageEvent,
  type LeverageState,
} from './leverage-state.js';
import type { StateMachine } from '../state-machine.js';
import {
  MARGIN_MACHINE,
  type MarginEnd,
  type MarginEvent,
  type MarginState,
} from './margin-state.js';
import {
  PROTECT_MACHINE,
  type ProtectEnd,
  type ProtectEvent,
  type ProtectState,
} from '../protection/protect-state.js';
import {
  TRANSFER_MACHINE,
  type TransferEnd,
  type TransferEvent,
  type TransferState,
} from './transfer-state.js';

interface SymbolInCurrency {
  readonly symbol: string;
  readonly currency: Currency;
}

/** The target of each kind. */
interface Plans {
  readonly amend: {
    readonly kind: 'amend';
    readonly clientOrderId: string;
    readonly fromPrice: Price;
    readonly fromQuantity: Quantity;
    readonly price: Price;
    readonly quantity: Quantity;
  };
  readonly protect: SymbolInCurrency & {
    readonly kind: 'protect';
    readonly slot: ProtectiveOrderSlot;
    readonly price: Price;
  };
  readonly margin: SymbolInCurrency & { readonly kind: 'margin'; readonly change: Amount };
  readonly leverage: SymbolInCurrency & { readonly kind: 'leverage'; readonly leverage: Ratio };
  readonly transfer: {
    readonly kind: 'transfer';
    readonly currency: Currency;
    readonly direction: TransferReport['direction'];
    readonly amount: Amount;
  };
}

interface States {
  readonly amend: AmendState;
  readonly protect: ProtectState;
  readonly margin: MarginState;
  readonly leverage: LeverageState;
  readonly transfer: TransferState;
}

interface OperationEvents {
  readonly amend: AmendEvent;
  readonly protect: ProtectEvent;
  readonly margin: MarginEvent;
  readonly leverage: LeverageEvent;
  readonly transfer: TransferEvent;
}

export type OperationKind = keyof Plans;
export type PlanOf<K extends OperationKind> = Plans[K];
export type OperationPlan = Plans[OperationKind];
export type OperationEnd = AmendEnd | ProtectEnd | MarginEnd | LeverageEnd | TransferEnd;

const MACHINES: { readonly [K in OperationKind]: StateMachine<States[K], OperationEvents[K]> } = {
  amend: AMEND_MACHINE,
  protect: PROTECT_MACHINE,
  margin: MARGIN_MACHINE,
  leverage: LEVERAGE_MACHINE,
  transfer: TRANSFER_MACHINE,
};

/** One request as sent, with the state of the venue right before it. */
export type OperationStep =
  | { readonly kind: 'amend'; readonly orderId: string }
  | {
      readonly kind: 'set-leg';
      readonly positionId: string;
      readonly clientOrderId: string;
      /** Rises when an id is used up. */
      readonly generation: number;
    }
  | {
      readonly kind: 'move-leg';
      readonly positionId: string;
      readonly orderId: string;
      readonly from: Price;
    }
  | { readonly kind: 'cancel-leg'; readonly orderId: string }
  | {
      readonly kind: 'change-margin';
      readonly quantity: Quantity;
      readonly positionId: string;
      readonly initialMargin: Amount;
      readonly balance: Amount;
      readonly locked: Amount;
    }
  | { readonly kind: 'set-leverage' }
  | {
      readonly kind: 'transfer';
      /** Ids of rows with the same direction and amount from before the request. */
      readonly known: readonly string[];
      readonly balance: Amount;
      readonly withdrawable: Amount;
    };

/**
 * One change that is neither an order nor its cancel, from intent to end. The state table of its
 * kind lists what may follow.
 */
export class Operation<K extends OperationKind = OperationKind> {
  readonly id: string;
  readonly kind: K;
  readonly plan: PlanOf<K>;
  /** The decision or command behind it, where there is one. */
  readonly cause: DecisionCause | undefined;
  /** When it was requested, ms UTC at the venue. */
  readonly requestedAt: number;
  /** A previous run began it. */
  readonly recovered: boolean;
  state: States[K];
  attempts = 0;
  /** Protective orders only: an attempt may have taken effect, so that a refusal proves nothing. */
  unknownSeen = false;
  /** A previous run read a 409: its id belongs to an order, or is burned. */
  conflictSeen = false;
  /** Edits of a protective order that left, or may have. */
  edits = 0;
  /** The last request. */
  step: OperationStep | undefined;
  /** Proof of its end, or why there is none. */
  evidence = '';

  constructor(options: {
    readonly id: string;
    readonly plan: PlanOf<K>;
    readonly cause?: DecisionCause | undefined;
    /** Default 0. */
    readonly requestedAt?: number;
    readonly recovered?: boolean;
  }) {
    this.id = options.id;
    this.plan = options.plan;
    this.kind = options.plan.kind as K;
    this.cause = options.cause;
    this.requestedAt = options.requestedAt ?? 0;
    this.recovered = options.recovered ?? false;
    this.state = this.#machine.initial;
  }

  get ended(): boolean {
    return this.#machine.isEnd(this.state);
  }

  /** It is not proved whether it has taken effect or still may. */
  get unproved(): boolean {
    return this.#machine.isUnproved(this.state) || this.state === 'unproved';
  }

  /** @param event one that the state table of its kind allows now */
  apply(event: OperationEvents[K]): void {
    const next = this.#machine.next(this.state, event);
    assert(next !== undefined, `${this.kind}: state ${this.state} does not accept "${event}"`);
    this.state = next;
  }

  get #machine(): StateMachine<States[K], OperationEvents[K]> {
    return MACHINES[this.kind];
  }
}

export const isKind = <K extends OperationKind>(
  operation: Operation,
  kind: K,
): operation is Operation & Operation<K> => operation.kind === kind;

/** Key of the lock that excludes two changes of one symbol and currency. */
export const symbolLockOf = ({ symbol, currency }: SymbolInCurrency): string =>
  `${symbol}/${currency}`;
