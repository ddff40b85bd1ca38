import { z } from 'zod';
import type { Instrument, Listing } from '../core/instrument.js';
import type { Files } from '../core/ports.js';
import { block, unsignedFixed, matchingText } from './config-fields.js';
import { instrumentFields, MAINTENANCE_RATE } from './instrument-fields.js';
import { readBlock } from './yaml-block.js';

const instrument = block({
  ...instrumentFields,
  maintenance_rate: unsignedFixed<'ratio'>().exactOptional(),
});
type RawInstrument = z.output<typeof instrument>;

const symbol = matchingText('a trading symbol in capitals such as BTCUSDT', /^[A-Z0-9]{2,28}USDT$/);
const schema = z.record(symbol, instrument, {
  error: 'expected a map of instruments such as BTCUSDT: { quantity_step: "0.001", … }',
});

/** Instrument rules by symbol, for a paper run without a key. @throws ConfigError */
export async function readInstrumentsFile(path: string, files: Files): Promise<readonly Listing[]> {
  const given = await readBlock(path, schema, files, 'text');
  return Object.entries(given).map(([name, raw]) => ({
    instrument: instrumentOf(name, raw),
    maintenanceRate: raw.maintenance_rate ?? MAINTENANCE_RATE,
  }));
}

const instrumentOf = (name: string, raw: RawInstrument): Instrument => ({
  symbol: name,
  assetId: name,
  baseAsset: name.replace(/USDT$/, ''),
  quantityStep: raw.quantity_step,
  minQuantity: raw.min_quantity,
  maxQuantity: raw.max_quantity,
  maxMarketQuantity: raw.max_market_quantity,
  priceStep: raw.price_step,
  minPrice: raw.min_price,
  maxPrice: raw.max_price,
  minNotional: raw.min_notional,
  leverageStep: raw.leverage_step,
  minLeverage: raw.min_leverage,
  maxLeverage: raw.max_leverage,
});
