import { configFromYaml, type SluiceConfig } from '../../../src/config/config.js';
import { buildEngine } from '../../../src/live/bot/build-engine.js';
import type { Engine } from '../../../src/engine/engine.js';
import type { EffectSink } from '../../../src/execution/effects.js';
import { decodeJournalRecord } from '../../../src/execution/journal/journal-record.js';
import { recover } from '../../../src/execution/recovery/recovery.js';
import { walkTrader, type WalkTraderOptions } from './walk-trader.js';
import type { GateName } from './walk-plan.js';
import { TRADED_SYMBOLS } from './walk-exchange.js';

export const ACCOUNT = 'walk';
const GATES: Readonly<Record<GateName, string>> = {
  standard: `
  preset: standard
  symbols_allow: [${TRADED_SYMBOLS.join(', ')}]
  max_state_age_ms: { entry: 120000, exit: 600000 }
  max_ref_price_age_ms: { entry: 60000, exit: 600000 }
  duplicate_window_ms: 200`,
  research: `
  preset: research`,
};

const configOf = (gate: GateName): SluiceConfig =>
  configFromYaml('/walk/config.yaml', new TextEncoder().encode(textOf(gate)));
const textOf = (gate: GateName): string => `
mode: sandbox
account: ${ACCOUNT}
venue: { base_url: 'http://127.0.0.1:8787', ws_url: 'ws://127.0.0.1:8787', trade_currency: USDT }
state_dir: /state
strategies:
  - { id: one, use: walker, symbols: [BTCUSDT], leverage: 2, size: { notional: '250' } }
  - { id: two, use: walker, symbols: [ETHUSDT], leverage: 2, size: { notional: '200' }, protect: { stop_loss_pct: 0.3 } }
risk:${GATES[gate]}
`;
/** Read once: the text is all that a configuration depends on. */
const CONFIGS = { standard: configOf('standard'), research: configOf('research') };

/** The engine as `wire.ts` builds it, on what an earlier life left in its journal. */
export function engineOn(
  journal: readonly Uint8Array[],
  { gate, ...wishes }: WalkTraderOptions & { readonly gate: GateName },
  effects: EffectSink,
): Engine {
  const config = CONFIGS[gate];
  const definition = walkTrader(wishes);
  const strategies = config.strategies.map((each) => ({
    config: each,
    definition,
    params: {},
  }));
  const recovered = recover(journal.map(decodeJournalRecord), ACCOUNT);
  return buildEngine({ config, strategies }, effects, recovered);
}
