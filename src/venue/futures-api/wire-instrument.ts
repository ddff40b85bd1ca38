import { z } from 'zod';
import type { Instrument } from '../../core/instrument.js';
import { amountOf, id, positive, step, symbol, upperBound } from './wire-value.js';

const QUOTE = 'USDT';

/**
 * {"id":"…","symbol":"BTCUSDT","min_contract":"0.001","max_contract":"1500",
 *  "quantity_step":"0.001","min_price":"0.1","max_price":"1999999.8","price_step":"0.1",
 *  "max_market_contract":"150","min_notional_value":"5","leverage_step":"0.01",
 *  "min_leverage":"1","max_leverage":"100", …}
 */
export const instrumentSchema = z.compile(
  z
    .object({
      id,
      symbol: symbol.refine(
        (text) => text.endsWith(QUOTE) && text !== QUOTE,
        'is not quoted in USDT',
      ),
      quantity_step: step<'quantity'>(),
      min_contract: amountOf<'quantity'>(),
      max_contract: upperBound<'quantity'>(),
      max_market_contract: upperBound<'quantity'>(),
      price_step: step<'price'>(),
      min_price: amountOf<'price'>(),
      max_price: upperBound<'price'>(),
      min_notional_value: amountOf<'USDT'>(),
      leverage_step: step<'ratio'>(),
      min_leverage: positive<'ratio'>(),
      max_leverage: positive<'ratio'>(),
    })
    .transform((wire): Instrument => ({
      symbol: wire.symbol,
      assetId: wire.id,
      baseAsset: baseAssetOf(wire.symbol),
      quantityStep: wire.quantity_step,
      minQuantity: wire.min_contract,
      maxQuantity: wire.max_contract,
      maxMarketQuantity: wire.max_market_contract,
      priceStep: wire.price_step,
      minPrice: wire.min_price,
      maxPrice: wire.max_price,
      minNotional: wire.min_notional_value,
      leverageStep: wire.leverage_step,
      minLeverage: wire.min_leverage,
      maxLeverage: wire.max_leverage,
    })),
);

/** BTCUSDT → BTC. */
export const baseAssetOf = (symbolText: string): string => symbolText.slice(0, -QUOTE.length);

/** BTCUSDT → BTC/USDT, as the market data asks for it; undefined when not quoted in USDT. */
export const assetPairOf = (symbolText: string): string | undefined =>
  symbolText.endsWith(QUOTE) && symbolText !== QUOTE
    ? `${baseAssetOf(symbolText)}/${QUOTE}`
    : undefined;

const withSymbol = z.object({ symbol: z.string() });

/** For log lines: what a row that does not read calls itself. */
export function instrumentName(row: unknown): string {
  const named = withSymbol.safeParse(row);
  return named.success ? named.data.symbol : 'without a symbol';
}
