import { z } from 'zod';
import { unrestrictedInstrument } from '../backtest/run.js';
import { MAX_PLACES, type Ratio } from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Files } from '../core/ports.js';
import { STANDARD_LISTINGS } from '../market/synthetic/listings.js';
import { unsignedFixed } from './config-fields.js';
import { instrumentFields, MAINTENANCE_RATE } from './instrument-fields.js';
import { readBlock } from './yaml-block.js';

export interface DescribedInstrument {
  readonly instrument: Instrument;
  readonly maintenanceRate: Ratio;
  readonly warnings: readonly string[];
}

/** Rules from the file, else from the sandbox's listing, else none, with a warning. @throws ConfigError */
export async function describeInstrument(
  path: string | undefined,
  symbol: string,
  files: Files,
): Promise<DescribedInstrument> {
  const listing = STANDARD_LISTINGS.find((each) => each.instrument.symbol === symbol);
  const maintenanceRate = listing?.maintenanceRate ?? MAINTENANCE_RATE;
  if (path !== undefined) {
    const instrument = await instrumentFile(path, symbol, files);
    return { instrument, maintenanceRate, warnings: [] };
  }
  if (listing !== undefined)
    return { instrument: listing.instrument, maintenanceRate, warnings: [] };
  return {
    instrument: unrestrictedInstrument(symbol),
    maintenanceRate,
    warnings: [
      `the rules of ${symbol} are unknown: any size and price is allowed (--instrument FILE sets them)`,
    ],
  };
}

/** An absent rule restricts nothing; a minimum quantity of 0 is no minimum. */
const instrumentSchema = z.strictObject({
  ...instrumentFields,
  min_quantity: unsignedFixed<'quantity'>(MAX_PLACES),
});

async function instrumentFile(path: string, symbol: string, files: Files): Promise<Instrument> {
  const given = await readBlock(path, instrumentSchema.partial(), files, 'text');
  const unrestricted = unrestrictedInstrument(symbol);
  return {
    ...unrestricted,
    quantityStep: given.quantity_step ?? unrestricted.quantityStep,
    minQuantity: given.min_quantity ?? unrestricted.minQuantity,
    maxQuantity: given.max_quantity ?? unrestricted.maxQuantity,
    maxMarketQuantity: given.max_market_quantity ?? unrestricted.maxMarketQuantity,
    priceStep: given.price_step ?? unrestricted.priceStep,
    minPrice: given.min_price ?? unrestricted.minPrice,
    maxPrice: given.max_price ?? unrestricted.maxPrice,
    minNotional: given.min_notional ?? unrestricted.minNotional,
    leverageStep: given.leverage_step ?? unrestricted.leverageStep,
    minLeverage: given.min_leverage ?? unrestricted.minLeverage,
    maxLeverage: given.max_leverage ?? unrestricted.maxLeverage,
  };
}
