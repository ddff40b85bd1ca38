import { resolve } from 'node:path';
import type { Currency } from '../core/currency.js';
import type { ClockMode } from '../sandbox/sandbox-clock.js';
import type { InrRate, RawConfig } from './config-schema.js';

export type VenueEndpoint =
  | { readonly kind: 'remote'; readonly baseUrl: string; readonly wsUrl: string }
  /** Optional for a backtest. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'embedded';
      readonly clock: ClockMode;
      readonly seed: number;
      /** Venue ms UTC. Absent: now. */
      readonly startMs?: number;
      /** Behaviour of real venues to switch on. Absent: none. */
      readonly quirks?: 'none' | 'field' | readonly string[];
    };

export interface VenueConfig {
  readonly endpoint: VenueEndpoint;
  /** Absolute path. */
  readonly apiSecretFile?: string;
  /** Absolute path of the instrument rules, for a paper run without a key. */
  readonly instrumentsFile?: string;
  readonly tradeCurrency: Currency;
  readonly inrRate?: InrRate;
}

/** @param directory relative paths start here */
export function venueFrom(raw: RawConfig['venue'], directory: string): VenueConfig {
  return {
    endpoint: endpointFrom(raw),
    ...(raw.api_secret_file === undefined
      ? {}
      : { apiSecretFile: resolve(directory, raw.api_secret_file) }),
    ...(raw.instruments_file === undefined
      ? {}
      : { instrumentsFile: resolve(directory, raw.instruments_file) }),
    tradeCurrency: raw.trade_currency,
    ...(raw.inr_rate === undefined ? {} : { inrRate: inrRateFrom(raw.inr_rate) }),
  };
}

const inrRateFrom = ({
  value,
  haircut_pct: haircutPct,
  as_of: asOf,
}: NonNullable<RawConfig['venue']['inr_rate']>): InrRate => ({
  value,
  haircutPct,
  ...(asOf !== undefined && { asOf }),
});

function endpointFrom(raw: RawConfig['venue']): VenueEndpoint {
  if (raw.embedded !== undefined) {
    const { clock, seed, start, quirks } = raw.embedded;
    return {
      kind: 'embedded',
      clock,
      seed,
      ...(start === undefined ? {} : { startMs: start }),
      ...(quirks === undefined ? {} : { quirks }),
    };
  }
  const { base_url: baseUrl, ws_url: wsUrl } = raw;
  return baseUrl === undefined || wsUrl === undefined
    ? { kind: 'none' }
    : { kind: 'remote', baseUrl, wsUrl };
}
