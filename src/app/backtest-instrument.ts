import { z } from 'zod';
import { looseInstrument } from '../backtest/run.js';
import { FINEST_PLACES, type Ratio } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { Files } from '../core/ports.js';
import { STANDARD_LISTINGS } from '../sandbox/listings.js';
import { unsignedFixed } from './config-fields.js';
import { instrumentFields, MAINTENANCE_RATE } from './instrument-fields.js';
import { readBlock } from './yaml-block.js';

export interface DescribedInstrument {
  readonly instrument: Instrument;
  readonly maintenanceRate: Ratio;
  readonly warnings: readonly string[];
}

/** From the file; else as the sandbox lists it; else loose rules, with a warning. @throws ConfigError */
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
    instrument: looseInstrument(symbol),
    maintenanceRate,
    warnings: [
      `nothing is known of ${symbol}: any size and price is allowed (--instrument FILE says more)`,
    ],
  };
}

/** An absent rule is loose, and a least quantity of 0 is none. */
const instrumentSchema = z.strictObject({
  ...instrumentFields,
  min_quantity: unsignedFixed<'quantity'>(FINEST_PLACES),
});

async function instrumentFile(path: string, symbol: string, files: Files): Promise<Instrument> {
  const given = await readBlock(path, instrumentSchema.partial(), files, 'text');
  const loose = looseInstrument(symbol);
  return {
    ...loose,
    quantityStep: given.quantity_step ?? loose.quantityStep,
    minQuantity: given.min_quantity ?? loose.minQuantity,
    maxQuantity: given.max_quantity ?? loose.maxQuantity,
    maxMarketQuantity: given.max_market_quantity ?? loose.maxMarketQuantity,
    priceStep: given.price_step ?? loose.priceStep,
    minPrice: given.min_price ?? loose.minPrice,
    maxPrice: given.max_price ?? loose.maxPrice,
    minNotional: given.min_notional ?? loose.minNotional,
    leverageStep: given.leverage_step ?? loose.leverageStep,
    minLeverage: given.min_leverage ?? loose.minLeverage,
    maxLeverage: given.max_leverage ?? loose.maxLeverage,
  };
}
