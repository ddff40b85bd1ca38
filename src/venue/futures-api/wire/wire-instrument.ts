import { z } from 'zod';
import type { Instrument } from '../../../core/instrument.js';
import {
  nonNegativeSchema,
  idSchema,
  positiveSchema,
  stepSchema,
  symbolSchema,
  upperBoundSchema,
} from './wire-value.js';

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
      id: idSchema,
      symbol: symbolSchema.refine(
        (text) => text.endsWith(QUOTE) && text !== QUOTE,
        'is not quoted in USDT',
      ),
      quantity_step: stepSchema<'quantity'>(),
      min_contract: nonNegativeSchema<'quantity'>(),
      max_contract: upperBoundSchema<'quantity'>(),
      max_market_contract: upperBoundSchema<'quantity'>(),
      price_step: stepSchema<'price'>(),
      min_price: nonNegativeSchema<'price'>(),
      max_price: upperBoundSchema<'price'>(),
      min_notional_value: nonNegativeSchema<'USDT'>(),
      leverage_step: stepSchema<'ratio'>(),
      min_leverage: positiveSchema<'ratio'>(),
      max_leverage: positiveSchema<'ratio'>(),
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

/** BTCUSDT → BTC/USDT, the form of market data requests. Undefined unless quoted in USDT. */
export const assetPairOf = (symbolText: string): string | undefined =>
  symbolText.endsWith(QUOTE) && symbolText !== QUOTE
    ? `${baseAssetOf(symbolText)}/${QUOTE}`
    : undefined;

const withSymbol = z.object({ symbol: z.string() });

/** The symbol of an unreadable row, for log lines. */
export function instrumentName(row: unknown): string {
  const named = withSymbol.safeParse(row);
  return named.success ? named.data.symbol : 'without a symbol';
}
