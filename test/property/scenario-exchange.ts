import { CURRENCIES } from '../../src/core/currency.js';
import type { Ratio } from '../../src/core/fixed/fixed.js';
import type { Assumptions } from '../../src/exchange/assumptions.js';
import { createExchange } from '../../src/exchange/create-exchange.js';
import { fixedSlippage } from '../../src/exchange/order/slippage.js';
import type { SimulatedExchange } from '../../src/exchange/simulated-exchange.js';
import { HOUR, looseInstrument, MIDNIGHT, money, of } from '../support/rigs/exchange-rig.js';
import { SYMBOLS, type ExchangeScenario } from './commands.js';
import type { NaiveRules } from './naive-ledger.js';

export const INTERVAL = 8 * HOUR;
const MAINTENANCE = { BTCUSDT: '0.005', XRPUSDT: '0.01' } as const;

/** The rules of the naive ledger under the given assumptions. */
export function rulesOf(assumptions: Assumptions): NaiveRules {
  return {
    takerFeeRate: '0.00059',
    makerFeeRate: '0.00023',
    maintenanceRate: MAINTENANCE,
    maintenanceCapped: assumptions.maintenanceRate === 'capped',
    priceStep: { BTCUSDT: '0.1', XRPUSDT: '0.1' },
    liquidationFee: assumptions.liquidationFee === 'charged',
    rebates: assumptions.rebates === 'forty-percent',
    pnlAtEntryRate: assumptions.pnlHedgeRate === 'entry',
    addedMarginAtEntryRate: assumptions.addedMarginRate === 'entry',
    fundingShortfall: assumptions.fundingShortfall,
    liquidatedPriceCut: assumptions.liquidatedPrice === 'step',
  };
}

/** The drawn rates in turn, with an offset by symbol. */
export const fundingRateOf =
  ({ fundingRates }: ExchangeScenario) =>
  (symbol: string, settlementMs: number): Ratio =>
    fundingRates[(settlementMs / INTERVAL + symbol.length) % fundingRates.length] ?? of('0');

export function createScenarioExchange(draw: ExchangeScenario): SimulatedExchange {
  const { slippageBps, limitFill, rich, leverage, other } = draw;
  let id = 0;
  const exchange = createExchange(
    {
      listings: SYMBOLS.map((symbol) => ({
        instrument: {
          ...looseInstrument(symbol, '0.1'),
          maxQuantity: of('1500'),
          maxMarketQuantity: of('150'),
        },
        maintenanceRate: of<'ratio'>(MAINTENANCE[symbol]),
      })),
      takerFeeRate: of('0.00059'),
      makerFeeRate: of('0.00023'),
      slippage: fixedSlippage(slippageBps),
      limitFill,
      spot: { USDT: money('100'), INR: money('1000') },
      futures: {
        USDT: money(rich ? '2000' : '60'),
        INR: money(rich ? '150000' : '4000'),
      },
      hedgeRate: of('96.37'),
      funding: { intervalMs: INTERVAL, rate: fundingRateOf(draw) },
      nextId: () => `id${++id}`,
      startMs: MIDNIGHT + 123,
    },
    other,
  );
  for (const symbol of SYMBOLS) {
    for (const currency of CURRENCIES) exchange.setLeverage(symbol, currency, leverage);
    exchange.gapTo(symbol, of('100'), of('100'));
  }
  return exchange;
}
