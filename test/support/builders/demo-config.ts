/** The demo's three strategies, against a sandbox at the harness's address. */
export const demoConfig = (
  overrides: { readonly risk?: string; readonly onStop?: string } = {},
) => `
mode: sandbox
account: demo
venue:
  base_url: http://127.0.0.1:8787
  ws_url: ws://127.0.0.1:8787
  trade_currency: USDT
state_dir: /state
on_stop: ${overrides.onStop ?? 'cancel-entries'}
strategies:
  - id: btc-cross
    use: sma-cross
    symbols: [BTCUSDT]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
    params: { fast: 3, slow: 8 }
  - id: eth-breakout
    use: donchian-breakout
    symbols: [ETHUSDT]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
  - id: sol-cross
    use: sma-cross
    symbols: [SOLUSDT]
    interval: 1m
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
    params: { fast: 3, slow: 8 }
risk: ${overrides.risk ?? '{ preset: standard, symbols_allow: [BTCUSDT, ETHUSDT, SOLUSDT] }'}
`;
