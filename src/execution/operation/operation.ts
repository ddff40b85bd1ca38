import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { Amount, Price, Quantity, Ratio } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { TransferReport } from '../../core/account.js';
import type { LegSlot } from '../../core/request.js';
import { AMEND, type AmendEnd, type AmendMove, type AmendState } from './amend-state.js';
import {
  LEVERAGE,
  type LeverageEnd,
  type LeverageMove,
  type LeverageState,
} from './leverage-state.js';
import type { Machine } from '../machine.js';
import { MARGIN, type MarginEnd, type MarginMove, type MarginState } from './margin-state.js';
import {
  PROTECT,
  type ProtectEnd,
  type ProtectMove,
  type ProtectState,
} from '../protection/protect-state.js';
import {
  TRANSFER,
  type TransferEnd,
  type TransferMove,
  type TransferState,
} from './transfer-state.js';

interface Lane {
  readonly symbol: string;
  readonly currency: Currency;
}

/** What is wanted of each kind. */
interface Plans {
  readonly amend: {
    readonly kind: 'amend';
    readonly clientOrderId: string;
    readonly fromPrice: Price;
    readonly fromQuantity: Quantity;
    readonly price: Price;
    readonly quantity: Quantity;
  };
  readonly protect: Lane & {
    readonly kind: 'protect';
    readonly slot: LegSlot;
    readonly price: Price;
  };
  readonly margin: Lane & { readonly kind: 'margin'; readonly change: Amount };
  readonly leverage: Lane & { readonly kind: 'leverage'; readonly leverage: Ratio };
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

interface Moves {
  readonly amend: AmendMove;
  readonly protect: ProtectMove;
  readonly margin: MarginMove;
  readonly leverage: LeverageMove;
  readonly transfer: TransferMove;
}

export type OperationKind = keyof Plans;
export type PlanOf<K extends OperationKind> = Plans[K];
export type OperationPlan = Plans[OperationKind];
export type OperationEnd = AmendEnd | ProtectEnd | MarginEnd | LeverageEnd | TransferEnd;

const MACHINES: { readonly [K in OperationKind]: Machine<States[K], Moves[K]> } = {
  amend: AMEND,
  protect: PROTECT,
  margin: MARGIN,
  leverage: LEVERAGE,
  transfer: TRANSFER,
};

/** One request as it left, and what stood at the venue right before it. */
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
      /** Rows of the same direction and amount that were there before. */
      readonly known: readonly string[];
      readonly balance: Amount;
      readonly withdrawable: Amount;
    };

/**
 * One change of ours that is neither a place nor a cancel, from intent to end. What it may do next is
 * in the table of its kind.
 */
export class Operation<K extends OperationKind = OperationKind> {
  readonly id: string;
  readonly kind: K;
  readonly plan: PlanOf<K>;
  /** Why it is done, where somebody asked for it. */
  readonly cause: Cause | undefined;
  /** When it was wanted, ms at the venue. */
  readonly wantedAt: number;
  /** An earlier life of this process began it. */
  readonly recovered: boolean;
  state: States[K];
  attempts = 0;
  /** Of a leg: some attempt may have taken effect, so that a no is no proof (the join rule). */
  unknownSeen = false;
  /** An earlier life read a 409: its id belongs to an order, or is burned. */
  conflictSeen = false;
  /** Edits of a leg that left, or may have. */
  edits = 0;
  /** What left last. */
  step: OperationStep | undefined;
  /** What proved its end, or why there is no proof. */
  evidence = '';

  constructor(options: {
    readonly id: string;
    readonly plan: PlanOf<K>;
    readonly cause?: Cause | undefined;
    /** Default 0. */
    readonly wantedAt?: number;
    readonly recovered?: boolean;
  }) {
    this.id = options.id;
    this.plan = options.plan;
    this.kind = options.plan.kind as K;
    this.cause = options.cause;
    this.wantedAt = options.wantedAt ?? 0;
    this.recovered = options.recovered ?? false;
    this.state = this.#machine.initial;
  }

  get ended(): boolean {
    return this.#machine.isEnd(this.state);
  }

  /** It may have taken effect, or may yet, and nobody has proved whether. */
  get unproved(): boolean {
    return this.#machine.isUnproved(this.state) || this.state === 'unproved';
  }

  /** Of which it may not meet every one: see the table. */
  move(move: Moves[K]): void {
    const next = this.#machine.next(this.state, move);
    assert(next !== undefined, `${this.kind}: what is ${this.state} does not meet "${move}"`);
    this.state = next;
  }

  get #machine(): Machine<States[K], Moves[K]> {
    return MACHINES[this.kind];
  }
}

export const isKind = <K extends OperationKind>(
  operation: Operation,
  kind: K,
): operation is Operation & Operation<K> => operation.kind === kind;

/** What must not be changed by two at one moment. */
export const laneOf = ({ symbol, currency }: Lane): string => `${symbol}/${currency}`;
