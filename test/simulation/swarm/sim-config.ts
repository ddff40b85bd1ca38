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

/** What opens is worth so much at most in a seed with hostile strategies, USDT. */
const SMALL = `
  max_order_notional_usdt: '150'
  max_position_notional: { usdt: '300' }
  max_open_orders: { symbol: 4, account: 9 }`;

/** Sizes fit the limits, so that the strategies of the seed, and not their sizes, meet them. */
const USUAL_SIZES = ['250', '200', '150'] as const;
const SMALL_SIZES = ['140', '120', '100'] as const;

function textOf({ limits, hostility }: Plan): string {
  const [one, two, three] = hostility === undefined ? USUAL_SIZES : SMALL_SIZES;
  return `
mode: sandbox
account: ${ACCOUNT}
venue: { base_url: ${BASE_URL}, ws_url: ${WS_URL}, trade_currency: USDT }
state_dir: ${STATE_DIR}
strategies:
  - { id: one, use: swarm, symbols: [BTCUSDT, ETHUSDT], leverage: 2, size: { notional: '${one}' }, protect: { stop_loss_pct: 1 } }
  - { id: two, use: swarm, symbols: [SOLUSDT], leverage: 2, size: { notional: '${two}' }, entry: { marketable_limit: { bps: 10, ttl_ms: 5000 } } }
  - { id: three, use: swarm, symbols: [XRPUSDT], leverage: ${hostility === undefined ? 3 : 2}, size: { notional: '${three}' }, protect: { stop_loss_pct: 0.6, take_profit_pct: 0.8 } }
risk:
  preset: ${hostility?.preset ?? 'standard'}
  symbols_allow: [${TRADED.join(', ')}]${hostility === undefined ? '' : SMALL}${RISK[limits]}
`;
}

/** Read once: the text is all that a configuration depends on. */
const configs = new Map<string, SluiceConfig>();

export function configOf(plan: Plan): SluiceConfig {
  const name = `${plan.limits} ${plan.hostility?.preset ?? 'none'}`;
  const known = configs.get(name);
  if (known !== undefined) return known;
  const config = configFromYaml('/bot/config.yaml', new TextEncoder().encode(textOf(plan)));
  configs.set(name, config);
  return config;
}
