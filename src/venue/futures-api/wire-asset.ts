import { z } from 'zod';
import type { AssetDetail } from './futures-api.js';
import { instrumentSchema } from './wire-instrument.js';
import { decimal, lenient, listOf, optionalText, positiveOrNone, present } from './wire-value.js';

const figure = lenient(decimal.transform((value) => value.toNumber()));
/** Before 2001 it is no epoch second: a period, say (hazard I11). */
const epochSecond = lenient(
  decimal.refine((value) => value.gte(1e9)).transform((value) => value.toNumber() * 1_000),
);

/**
 * {"name":"Bitcoin","price":"64863.6","last_day_price":"64000","change_perc":"1.35","volume":"…",
 *  "popularity":"1","funding_fee_perc":"0.0001","min_funding_rate":null,
 *  "funding_interval":1781712000,"trading_fee_perc":"0.05","1d_high":65000.5, …}
 *
 * `funding_interval` is the second of the next settlement (supplement, part 4).
 */
const marketFields = z
  .object({
    name: lenient(optionalText),
    price: lenient(positiveOrNone<'price'>()),
    last_day_price: lenient(positiveOrNone<'price'>()),
    change_perc: figure,
    volume: figure,
    popularity: figure,
    funding_fee_perc: lenient(decimal),
    min_funding_rate: lenient(decimal),
    max_funding_rate: lenient(decimal),
    funding_interval: epochSecond,
    trading_fee_perc: lenient(decimal),
    '1d_high': figure,
    '1d_low': figure,
    '1d_volume': figure,
  })
  .transform((wire) =>
    present({
      name: wire.name,
      price: wire.price,
      lastDayPrice: wire.last_day_price,
      changePercent: wire.change_perc,
      volume: wire.volume,
      popularity: wire.popularity,
      fundingRate: wire.funding_fee_perc,
      minFundingRate: wire.min_funding_rate,
      maxFundingRate: wire.max_funding_rate,
      nextFundingMs: wire.funding_interval,
      tradingFeePercent: wire.trading_fee_perc,
      dayHigh: wire['1d_high'],
      dayLow: wire['1d_low'],
      dayVolume: wire['1d_volume'],
    }),
  );

/** The rules of the instrument are needed; whatever else the venue leaves out is left out. */
export const assetSchema = z
  .intersection(
    instrumentSchema.transform((instrument) => ({ instrument })),
    marketFields,
  )
  .transform((asset): AssetDetail => ({ ...asset, name: asset.name ?? asset.instrument.symbol }));

/** One instrument that does not read must not hide the others: it is told and left out. */
export const assetsSchema = (leftOut: (row: unknown, fault: string) => void) =>
  listOf(z.unknown()).transform((rows): AssetDetail[] =>
    rows.flatMap((row) => {
      const asset = assetSchema.safeParse(row);
      if (asset.success) return [asset.data];
      const [issue] = asset.error.issues;
      leftOut(row, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
      return [];
    }),
  );
