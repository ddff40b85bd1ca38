import type { AccountSnapshot, WalletReport } from '../core/account.js';
import type { Currency } from '../core/currency.js';
import { numberFromFixed, textFromFixed, type Amount } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Logger } from '../core/ports.js';
import { notionalLimits, PRICE_ALLOWANCE, type NotionalLimit } from '../risk/room.js';
import { limitPolicyOf, type Size } from '../strategy/size/sizing.js';
import type { SluiceConfig, StrategyConfig } from './config.js';
import { ConfigError } from './failure.js';
import { riskPlace, SIZE_ADVICE } from './limit-conflicts.js';

/** A size that follows the equity must still fit when the account has grown by this factor. */
const GROWTH = 1.25;

export interface SizeCheckParts {
  readonly config: SluiceConfig;
  readonly currency: Currency;
  readonly logger: Logger;
  /** In USDT; undefined while a rate is not known. */
  readonly usdtOf: (amount: Amount) => number | undefined;
  readonly instrument: (symbol: string) => Instrument | undefined;
  /** USDT. */
  readonly lastPrice: (symbol: string) => number | undefined;
  /** Whether orders of ours are at the venue from an earlier life. */
  readonly hasOrders: (symbol: string) => boolean;
}

/** A position at the venue, whether its row reads or not. */
interface Held {
  readonly symbol: string;
}

/**
 * Compares sizes with the limits and the venue's minimum when the account is first known, before anything
 * may trade. A strategy that has something to look after is warned of and let run.
 */
export class SizeCheck {
  readonly #parts: SizeCheckParts;
  #wallet: WalletReport | undefined;
  #positions: readonly Held[] | undefined;
  #done = false;

  constructor(parts: SizeCheckParts) {
    this.#parts = parts;
  }

  /** To be told before the engine is. @throws ConfigError with the sum and both keys of each contradiction */
  see(snapshot: AccountSnapshot): void {
    if (this.#done || snapshot.currency !== this.#parts.currency) return;
    if (snapshot.kind === 'wallet') this.#wallet = snapshot.wallet;
    if (snapshot.kind === 'positions')
      this.#positions = [...snapshot.positions, ...(snapshot.unreadable ?? [])];
    if (this.#wallet === undefined || this.#positions === undefined) return;
    this.#done = true;
    this.#judge(this.#wallet, this.#positions);
  }

  #judge({ balance, locked }: WalletReport, positions: readonly Held[]): void {
    const { config, usdtOf, logger, hasOrders } = this.#parts;
    const [free, held] = [usdtOf(balance), usdtOf(locked)];
    if (free === undefined || held === undefined) return;
    const equity = free + held;
    const problems: string[] = [];
    config.strategies.forEach((strategy, index) => {
      for (const symbol of strategy.symbols) {
        const problem = this.#problemOf(strategy, index, symbol, equity);
        if (problem === undefined) continue;
        const kept = hasOrders(symbol) || positions.some((row) => row.symbol === symbol);
        if (kept) logger.warn({ strategy: strategy.id, symbol }, problem);
        else problems.push(problem);
      }
    });
    if (problems.length > 0) throw new ConfigError(problems);
  }

  #problemOf(
    strategy: StrategyConfig,
    index: number,
    symbol: string,
    equity: number,
  ): string | undefined {
    const price = this.#parts.lastPrice(symbol);
    const wanted = worthOf(strategy, equity, price);
    if (wanted === undefined) return undefined;
    const conflict = this.#aboveLimit({ strategy, index, symbol, equity, wanted, price });
    return conflict ?? this.#belowMinimum({ strategy, index, symbol, equity, wanted, price });
  }

  #aboveLimit({ strategy, index, symbol, equity, wanted, price }: Sum): string | undefined {
    const { config, logger } = this.#parts;
    const { size, id } = strategy;
    const grown = followsEquity(size) ? GROWTH : 1;
    const [limit] = this.#limits(equity * grown).filter(({ usdt }) => wanted * grown > usdt);
    if (limit === undefined) return undefined;
    const key = riskPlace(config, limit.key, `${money(limit.usdt)} USDT`);
    const sum = sumText(size, { equity, price, symbol, wanted, grown });
    if (limitPolicyOf(size) === 'refuse')
      return `${this.#place(strategy, index)}: ${sum}, above ${key}, so entries would be refused: ${SIZE_ADVICE}`;
    const now = this.#limits(equity).find(({ usdt }) => wanted > usdt);
    if (now === undefined) return undefined;
    const own = sumText(size, { equity, price, symbol, wanted, grown: 1 });
    logger.warn(
      { strategy: id, symbol },
      `${id}: ${own}; it is capped by ${riskPlace(config, now.key, `${money(now.usdt)} USDT`)}`,
    );
    return undefined;
  }

  #belowMinimum({ strategy, index, symbol, equity, wanted, price }: Sum): string | undefined {
    const instrument = this.#parts.instrument(symbol);
    if (instrument === undefined) return undefined;
    const limits = limitPolicyOf(strategy.size) === 'cap' ? this.#limits(equity) : [];
    const cap = limits.reduce<NotionalLimit | undefined>(
      (least, each) => (each.usdt < (least?.usdt ?? Infinity) ? each : least),
      undefined,
    );
    const capped = cap === undefined ? Infinity : cap.usdt / PRICE_ALLOWANCE;
    const least = minimumOf(instrument, price);
    if (Math.min(wanted, capped) >= least) return undefined;
    const sum = sumText(strategy.size, { equity, price, symbol, wanted, grown: 1 });
    const byCap =
      capped < wanted && cap !== undefined
        ? `, capped to ${money(capped)} USDT by ${riskPlace(this.#parts.config, cap.key, `${money(cap.usdt)} USDT`)}`
        : '';
    const units = `${textFromFixed(instrument.minQuantity)} ${symbol}, ${textFromFixed(instrument.minNotional)} USDT`;
    return `${this.#place(strategy, index)}: ${sum}${byCap}; the venue's minimum order is ${money(least)} USDT (${units}), so no entry would be sent: raise ${byCap === '' ? 'the size' : 'the limit'}`;
  }

  #limits(equity: number): readonly NotionalLimit[] {
    const { preset, limits } = this.#parts.config.riskSettings;
    return preset === 'standard' ? notionalLimits(limits, Math.max(equity, 0)) : [];
  }

  #place({ size }: StrategyConfig, index: number): string {
    const key = keyOf(size);
    const place = this.#parts.config.where(['strategies', index, 'size', key]);
    return `${place} strategies[${index}].size.${key}`;
  }
}

interface Sum {
  readonly strategy: StrategyConfig;
  readonly index: number;
  readonly symbol: string;
  readonly equity: number;
  /** USDT, of conviction 1. */
  readonly wanted: number;
  readonly price: number | undefined;
}

const followsEquity = ({ kind }: Size): boolean => kind !== 'quantity' && kind !== 'notional';

const keyOf = ({ kind }: Size): string => kind.replace('-', '_');

/** USDT of a conviction of 1; undefined where it depends on what is not known yet. */
function worthOf(
  { size, protect }: StrategyConfig,
  equity: number,
  price: number | undefined,
): number | undefined {
  switch (size.kind) {
    case 'quantity':
      return price === undefined ? undefined : numberFromFixed(size.quantity) * price;
    case 'notional':
      return size.notional;
    case 'equity-pct':
      return (Math.max(equity, 0) * size.percent) / 100;
    case 'risk-pct': {
      const stop = protect.stopLossPct ?? protect.trailingPct;
      return stop === undefined ? undefined : (Math.max(equity, 0) * size.percent) / stop;
    }
    case 'volatility-pct':
      return undefined;
  }
}

interface SumFacts extends Omit<Sum, 'strategy' | 'index'> {
  readonly grown: number;
}

function sumText(size: Size, { equity, price, symbol, wanted, grown }: SumFacts): string {
  const worth = `${money(wanted * grown)} USDT`;
  const factor = grown === 1 ? '' : ` x ${grown}`;
  switch (size.kind) {
    case 'quantity':
      return `${textFromFixed(size.quantity)} ${symbol} at ${price ?? '?'} is ${worth}`;
    case 'notional':
      return worth;
    case 'risk-pct':
      return `a loss of ${size.percent} % of ${money(equity)} USDT${factor} at the stop is ${worth}`;
    default:
      return `${size.percent} % of ${money(equity)} USDT${factor} is ${worth}`;
  }
}

/** USDT that the least order is worth. */
function minimumOf({ minNotional, minQuantity }: Instrument, price: number | undefined): number {
  return Math.max(numberFromFixed(minNotional), numberFromFixed(minQuantity) * (price ?? 0));
}

const money = (amount: number): string => String(Number(amount.toFixed(2)));
