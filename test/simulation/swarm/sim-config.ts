import { configFromYaml, type SluiceConfig } from '../../../src/config/config.js';
import type { Plan } from './plan.js';

export const BASE_URL = 'http://127.0.0.1:8787';
export const WS_URL = 'ws://127.0.0.1:8787';
export const STATE_DIR = '/state';
export const JOURNAL_FILE = `${STATE_DIR}/journal.log`;
export const ACCOUNT = 'swarm';
export const TRADED = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'] as const;

/** The strategy that counts its decisions where a seed says that one does. */
export const COUNTING = 'three';
/** Limits as they come, or wide: with reads that fail, the narrow ones let little out. */
const RISK = {
  narrow: '',
  wide: `
  max_state_age_ms: { entry: 120000, exit: 600000 }
  max_ref_price_age_ms: { entry: 60000, exit: 600000 }
  duplicate_window_ms: 200`,
} as const;

const textOf = (limits: keyof typeof RISK): string => `
mode: sandbox
account: ${ACCOUNT}
venue: { base_url: ${BASE_URL}, ws_url: ${WS_URL}, trade_currency: USDT }
state_dir: ${STATE_DIR}
strategies:
  - { id: one, use: swarm, symbols: [BTCUSDT, ETHUSDT], leverage: 2, size: { notional: '250' }, protect: { stop_loss_pct: 1 } }
  - { id: two, use: swarm, symbols: [SOLUSDT], leverage: 2, size: { notional: '200' }, entry: { marketable_limit: { bps: 10, ttl_ms: 5000 } } }
  - { id: three, use: swarm, symbols: [XRPUSDT], leverage: 3, size: { notional: '150' }, protect: { stop_loss_pct: 0.6, take_profit_pct: 0.8 } }
risk:
  preset: standard
  symbols_allow: [${TRADED.join(', ')}]${RISK[limits]}
`;

/** Read once: the text is all that a configuration depends on. */
const configs = new Map<string, SluiceConfig>();

export function configOf({ limits }: Plan): SluiceConfig {
  const known = configs.get(limits);
  if (known !== undefined) return known;
  const config = configFromYaml('/bot/config.yaml', new TextEncoder().encode(textOf(limits)));
  configs.set(limits, config);
  return config;
}
