import type { Breach } from '../../risk/control.js';
import {
  priceJump,
  priceJumpBreach,
  volatility,
  volatilityBreach,
} from '../../risk/controls/market.js';
import type { Control } from '../../risk/control.js';
import type { Gate } from '../../risk/gate.js';
import { enforcesLimits } from '../../risk/preset.js';
import type { EngineFacts } from '../engine-facts.js';
import type { TradingState } from '../trading-state.js';

export interface MarketMonitorParts {
  readonly facts: EngineFacts;
  readonly gate: Pick<Gate, 'preset' | 'limits'>;
  readonly tradingState: Pick<TradingState, 'restrict'>;
}

/** Restricts a symbol to reductions while its market is wild (controls R38 and R43), before any order asks. */
export class MarketMonitor {
  readonly #parts: MarketMonitorParts;
  readonly #isEnforced: boolean;

  constructor(parts: MarketMonitorParts) {
    this.#parts = parts;
    this.#isEnforced = enforcesLimits(parts.gate.preset);
  }

  /** A live price of the symbol has arrived. */
  onPrice(symbol: string): void {
    if (!this.#isEnforced) return;
    const { facts, gate } = this.#parts;
    const { limits } = gate;
    const markAt = facts.markPriceAt(symbol);
    const prices = {
      jump: facts.priceJump(symbol),
      last: facts.lastPrice(symbol),
      mark: facts.markPrice(symbol),
      markAgeMs: markAt === undefined ? undefined : facts.monotonic - markAt,
    };
    this.#restrict(symbol, priceJump, priceJumpBreach(prices, limits));
    this.#restrict(symbol, volatility, volatilityBreach(facts.volatility(symbol), limits));
  }

  #restrict(symbol: string, control: Control, found: Breach | undefined): void {
    if (found === undefined) return;
    this.#parts.tradingState.restrict({
      control: control.id,
      symbol,
      to: 'REDUCE_ONLY',
      class: 'self-clearing',
      cause: `${found.explain()} (${control.key})`,
    });
  }
}
