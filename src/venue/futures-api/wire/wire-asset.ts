import { z } from 'zod';
import type { AssetDetail } from '../futures-api.js';
import { instrumentSchema } from './wire-instrument.js';
import {
  decimalSchema,
  issueText,
  lenientSchema,
  listSchema,
  optionalTextSchema,
  positiveOrAbsentSchema,
  withoutUndefined,
} from './wire-value.js';

const figure = lenientSchema(decimalSchema.transform((value) => value.toNumber()));
/** A value before 2001 is no epoch second; it may be a period (hazard I11). */
const epochSecond = lenientSchema(
  decimalSchema.refine((value) => value.gte(1e9)).transform((value) => value.toNumber() * 1_000),
);

/**
 * {"name":"Bitcoin","price":"64863.6","last_day_price":"64000","change_perc":"1.35","volume":"…",
 *  "popularity":"1","funding_fee_perc":"0.0001","min_funding_rate":null,
 *  "funding_interval":1781712000,"trading_fee_perc":"0.05","1d_high":65000.5, …}
 *
 * `funding_interval` is the epoch second of the next settlement (supplement: funding).
 */
const marketFields = z
  .object({
    name: lenientSchema(optionalTextSchema),
    price: lenientSchema(positiveOrAbsentSchema<'price'>()),
    last_day_price: lenientSchema(positiveOrAbsentSchema<'price'>()),
    change_perc: figure,
    volume: figure,
    popularity: figure,
    funding_fee_perc: lenientSchema(decimalSchema),
    min_funding_rate: lenientSchema(decimalSchema),
    max_funding_rate: lenientSchema(decimalSchema),
    funding_interval: epochSecond,
    trading_fee_perc: lenientSchema(decimalSchema),
    '1d_high': figure,
    '1d_low': figure,
    '1d_volume': figure,
  })
  .transform((wire) =>
    withoutUndefined({
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

/** Only the instrument rules are required; the other fields are optional. */
export const assetSchema = z
  .intersection(
    instrumentSchema.transform((instrument) => ({ instrument })),
    marketFields,
  )
  .transform((asset): AssetDetail => ({ ...asset, name: asset.name ?? asset.instrument.symbol }));

/** An unreadable instrument is reported and left out, so that it does not hide the others. */
export const assetsSchema = (onSkipped: (row: unknown, fault: string) => void) =>
  listSchema(z.unknown()).transform((rows): AssetDetail[] =>
    rows.flatMap((row) => {
      const asset = assetSchema.safeParse(row);
      if (asset.success) return [asset.data];
      onSkipped(row, issueText(asset.error));
      return [];
    }),
  );
