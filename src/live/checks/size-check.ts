import type { AccountSnapshot, WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { numberFromFixed, textFromFixed, type Amount } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { Logger } from '../../core/ports.js';
import { notionalLimits, PRICE_ALLOWANCE, type NotionalLimit } from '../../risk/headroom.js';
import { enforcesLimits } from '../../risk/preset.js';
import { limitPolicyOf, type Size } from '../../strategy/target/size/sizing.js';
import type { SluiceConfig } from '../../config/config.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import { ConfigError } from '../../core/command-errors.js';
import { riskLocation, SIZE_ADVICE } from './limit-conflicts.js';

/** A size relative to equity must still fit when the account has grown by this factor. */
const GROWTH = 1.25;

export interface SizeCheckParts {
  readonly config: SluiceConfig;
  readonly currency: Currency;
  readonly logger: Logger;
  /** In USDT; undefined while a rate is unknown. */
  readonly usdtOf: (amount: Amount) => number | undefined;
  readonly instrument: (symbol: string) => Instrument | undefined;
  /** USDT. */
  readonly lastPrice: (symbol: string) => number | undefined;
  /** Whether orders of ours from a previous run are at the venue. */
  readonly hasOrders: (symbol: string) => boolean;
}

/** A position at the venue, readable or not. */
interface ReportedPosition {
  readonly symbol: string;
}

/**
 * Compares sizes with the limits and the venue's minimum when the account is first known, before any trade. A
 * strategy with an open position or order gets a warning and still runs.
 */
export class SizeCheck {
  readonly #parts: SizeCheckParts;
  #wallet: WalletReport | undefined;
  #positions: readonly ReportedPosition[] | undefined;
  #done = false;

  constructor(parts: SizeCheckParts) {
    this.#parts = parts;
  }

  /** Called before the engine. @throws ConfigError with the amount and both keys of each conflict */
  onSnapshot(snapshot: AccountSnapshot): void {
    if (this.#done || snapshot.currency !== this.#parts.currency) return;
    if (snapshot.kind === 'wallet') this.#wallet = snapshot.wallet;
    if (snapshot.kind === 'positions')
      this.#positions = [...snapshot.positions, ...(snapshot.unreadable ?? [])];
    if (this.#wallet === undefined || this.#positions === undefined) return;
    this.#done = true;
    this.#check(this.#wallet, this.#positions);
  }

  #check({ balance, locked }: WalletReport, positions: readonly ReportedPosition[]): void {
    const { config, usdtOf, logger, hasOrders } = this.#parts;
    const [free, held] = [usdtOf(balance), usdtOf(locked)];
    if (free === undefined || held === undefined) return;
    const equity = free + held;
    const problems: string[] = [];
    config.strategies.forEach((strategy, index) => {
      for (const symbol of strategy.symbols) {
        const problem = this.#problemOf(strategy, index, symbol, equity);
        if (problem === undefined) continue;
        const hasExposure = hasOrders(symbol) || positions.some((row) => row.symbol === symbol);
        if (hasExposure) logger.warn({ strategy: strategy.id, symbol }, problem);
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
    const requestedUsdt = notionalOf(strategy, equity, price);
    if (requestedUsdt === undefined) return undefined;
    const conflict = this.#aboveLimit({ strategy, index, symbol, equity, requestedUsdt, price });
    return (
      conflict ?? this.#belowMinimum({ strategy, index, symbol, equity, requestedUsdt, price })
    );
  }

  #aboveLimit({
    strategy,
    index,
    symbol,
    equity,
    requestedUsdt,
    price,
  }: SizedEntry): string | undefined {
    const { config, logger } = this.#parts;
    const { size, id } = strategy;
    const grown = followsEquity(size) ? GROWTH : 1;
    const [limit] = this.#limits(equity * grown).filter(({ usdt }) => requestedUsdt * grown > usdt);
    if (limit === undefined) return undefined;
    const key = riskLocation(config, limit.key, `${money(limit.usdt)} USDT`);
    const sum = sizeText(size, { equity, price, symbol, requestedUsdt, grown });
    if (limitPolicyOf(size) === 'refuse')
      return `${this.#place(strategy, index)}: ${sum}, above ${key}, so entries would be refused: ${SIZE_ADVICE}`;
    const now = this.#limits(equity).find(({ usdt }) => requestedUsdt > usdt);
    if (now === undefined) return undefined;
    const own = sizeText(size, { equity, price, symbol, requestedUsdt, grown: 1 });
    logger.warn(
      { strategy: id, symbol },
      `${id}: ${own}; it is capped by ${riskLocation(config, now.key, `${money(now.usdt)} USDT`)}`,
    );
    return undefined;
  }

  #belowMinimum({
    strategy,
    index,
    symbol,
    equity,
    requestedUsdt,
    price,
  }: SizedEntry): string | undefined {
    const instrument = this.#parts.instrument(symbol);
    if (instrument === undefined) return undefined;
    const limits = limitPolicyOf(strategy.size) === 'cap' ? this.#limits(equity) : [];
    const cap = limits.reduce<NotionalLimit | undefined>(
      (least, each) => (each.usdt < (least?.usdt ?? Infinity) ? each : least),
      undefined,
    );
    const capped = cap === undefined ? Infinity : cap.usdt / PRICE_ALLOWANCE;
    const least = minNotionalOf(instrument, price);
    if (Math.min(requestedUsdt, capped) >= least) return undefined;
    const sum = sizeText(strategy.size, { equity, price, symbol, requestedUsdt, grown: 1 });
    const byCap =
      capped < requestedUsdt && cap !== undefined
        ? `, capped to ${money(capped)} USDT by ${riskLocation(this.#parts.config, cap.key, `${money(cap.usdt)} USDT`)}`
        : '';
    const units = `${textFromFixed(instrument.minQuantity)} ${symbol}, ${textFromFixed(instrument.minNotional)} USDT`;
    return `${this.#place(strategy, index)}: ${sum}${byCap}; the venue's minimum order is ${money(least)} USDT (${units}), so no entry would be sent: raise ${byCap === '' ? 'the size' : 'the limit'}`;
  }

  #limits(equity: number): readonly NotionalLimit[] {
    const { preset, limits } = this.#parts.config.riskSettings;
    return enforcesLimits(preset) ? notionalLimits(limits, Math.max(equity, 0)) : [];
  }

  #place({ size }: StrategyConfig, index: number): string {
    const key = configKeyOf(size);
    const place = this.#parts.config.locate(['strategies', index, 'size', key]);
    return `${place} strategies[${index}].size.${key}`;
  }
}

interface SizedEntry {
  readonly strategy: StrategyConfig;
  readonly index: number;
  readonly symbol: string;
  readonly equity: number;
  /** USDT, of conviction 1. */
  readonly requestedUsdt: number;
  readonly price: number | undefined;
}

const followsEquity = ({ kind }: Size): boolean => kind !== 'quantity' && kind !== 'notional';

const configKeyOf = ({ kind }: Size): string => kind.replace('-', '_');

/** USDT of a conviction of 1; undefined where it depends on unknown values. */
function notionalOf(
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

interface SizeTextInput extends Omit<SizedEntry, 'strategy' | 'index'> {
  readonly grown: number;
}

function sizeText(
  size: Size,
  { equity, price, symbol, requestedUsdt, grown }: SizeTextInput,
): string {
  const worth = `${money(requestedUsdt * grown)} USDT`;
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

/** Minimum order value in USDT. */
function minNotionalOf(
  { minNotional, minQuantity }: Instrument,
  price: number | undefined,
): number {
  return Math.max(numberFromFixed(minNotional), numberFromFixed(minQuantity) * (price ?? 0));
}

const money = (amount: number): string => String(Number(amount.toFixed(2)));
