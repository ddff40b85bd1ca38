import { numberFromFixed, type Price } from '../../../core/fixed/fixed.js';
import { assumedLiquidationPrice } from '../../../risk/liquidation-price.js';
import { MAX_SLIPPED_ENTRIES } from '../../../risk/fill-slippage.js';
import {
  numberOf,
  type LimitInputs,
  type LimitReader,
  type LimitReading,
} from './limit-reading.js';

const WHOLE_PERCENT = 100;
const WHOLE_BPS = 10_000;

/** Controls by the state of the market, and of positions in it. */
export const MARKET_READINGS = {
  R16: (inputs) =>
    inputs.symbols.map((symbol) => ({
      key: 'min_liq_distance_pct',
      symbol,
      ...liquidationOf(symbol, inputs),
      limit: numberFromFixed(inputs.limits.exposure.minLiquidationDistance) * WHOLE_PERCENT,
      unit: '%',
      least: true,
    })),
  R18: ({ symbols, counts, limits }) =>
    symbols.map((symbol) => ({
      key: 'max_naked_ms',
      symbol,
      used: counts.nakedMs(symbol),
      limit: limits.protection.maxNakedMs,
      unit: 'ms',
    })),
  R38: ({ symbols, facts, limits: { market } }) =>
    symbols.flatMap((symbol) => {
      const jump = facts.priceJump(symbol);
      const tick = jump === undefined ? null : gapPercent(jump.from, jump.to);
      const [last, mark] = [facts.lastPrice(symbol), facts.markPrice(symbol)];
      const gap = last === undefined || mark === undefined ? null : gapPercent(last, mark);
      return [
        percent('price_jump_pct.tick', symbol, tick, numberFromFixed(market.maxPriceJump)),
        percent('price_jump_pct.mark_gap', symbol, gap, numberFromFixed(market.maxMarkGap)),
      ];
    }),
  R39: ({ strategies, counts, limits }) =>
    strategies.map(({ id }) => ({
      key: 'fill_slippage_bps',
      strategy: id,
      used: counts.slippedEntries(id),
      limit: MAX_SLIPPED_ENTRIES,
      unit: 'events',
      state: `above ${numberFromFixed(limits.market.maxFillSlippageBps)} bps`,
    })),
  R41: ({ symbols, facts, limits: { market } }) =>
    symbols.flatMap((symbol) => {
      const next = facts.funding(symbol);
      const used = next === undefined ? null : Math.abs(numberFromFixed(next.rate)) * WHOLE_BPS;
      return (['warn', 'refuse'] as const).map((part) => ({
        key: `funding_guard.${part}_bps`,
        symbol,
        used,
        limit: numberFromFixed(market.fundingBps[part]),
        unit: 'bps' as const,
        ...(next === undefined && { state: 'no rate' }),
      }));
    }),
  R43: ({ symbols, facts, limits }) =>
    symbols.map((symbol) => {
      const used = numberOf(facts.volatility(symbol)) ?? null;
      return {
        key: 'volatility_halt',
        symbol,
        used,
        limit: numberFromFixed(limits.market.maxVolatility),
        unit: 'x',
        ...(used === null && { state: 'less than 60 minutes known' }),
      };
    }),
} satisfies Partial<Record<string, LimitReader>>;

const percent = (
  key: string,
  symbol: string,
  used: number | null,
  share: number,
): LimitReading => ({
  key,
  symbol,
  used,
  limit: share * WHOLE_PERCENT,
  unit: '%',
  ...(used === null && { state: 'nothing to compare' }),
});

const gapPercent = (from: Price, to: Price): number => {
  const [a, b] = [numberFromFixed(from), numberFromFixed(to)];
  return (Math.abs(b - a) / a) * WHOLE_PERCENT;
};

/** Distance of the liquidation price of the position at its entry price, by R16's assumption. */
function liquidationOf(
  symbol: string,
  { currency, facts }: LimitInputs,
): Pick<LimitReading, 'used' | 'state'> {
  const { position } = facts.exposure.of(symbol, currency);
  if (position === 0) return { used: null, state: 'no position' };
  const leverage = facts.leverage(symbol, currency);
  const entry = facts.entryPrice(symbol, currency);
  const mark = facts.markPrice(symbol) ?? facts.lastPrice(symbol);
  if (leverage === undefined || entry === undefined || mark === undefined)
    return { used: undefined };
  const isLong = position > 0;
  const liquidation = numberFromFixed(assumedLiquidationPrice(entry, leverage, isLong));
  if (liquidation <= 0) return { used: null, state: 'no liquidation price' };
  const at = numberFromFixed(mark);
  return { used: ((isLong ? at - liquidation : liquidation - at) / at) * WHOLE_PERCENT };
}
