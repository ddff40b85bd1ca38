// What strategies/README.md says of funding-tilt. A backtest has no funding yet, so the strategy is told
// each settled rate here, as the best guess of the next, and what is exchanged is worked out beside it.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { candlesFromCsv, simulate } from '../../dist/src/backtest/testing.js';
import strategy from '../../dist/strategies/funding-tilt.js';

const DATA = process.argv[2] ?? '../shared/data';
const FILES = {
  BTCUSDT: ['btcusdt-1h-2019-09_2026-05', 'btcusdt-funding-2019-09_2026-05'],
  ETHUSDT: ['ethusdt-1h-2019-11_2026-05', 'ethusdt-funding-2019-11_2026-05'],
  SOLUSDT: ['solusdt-1h-2025-02_2026-05', 'solusdt-funding-2025-02_2026-05'],
};
const FROM = Date.UTC(2025, 1, 1);
const TO = Date.UTC(2026, 4, 6, 8);
const CASH = 10_000;

const textOf = (name) => gunzipSync(readFileSync(`${DATA}/${name}.csv.gz`)).toString();
const rows = Object.entries(FILES).map(([symbol, [candles, funding]]) => ({
  symbol,
  candles: candlesFromCsv(textOf(candles)).filter(({ openTime: at }) => at >= FROM && at < TO),
  rates: new Map(
    textOf(funding)
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').map(Number))
      .map(([seconds, rate]) => [seconds * 1_000, rate]),
  ),
}));

const told = {
  ...strategy,
  streams: [],
  create(setup) {
    const hooks = strategy.create(setup);
    return {
      warmup: hooks.warmup,
      onCandles(context, round) {
        for (const { symbol, rates } of rows) {
          const rate = rates.get(round.closedAt);
          if (rate !== undefined) hooks.onFunding(context, { symbol, rate, nextSettlementMs: 0 });
        }
        hooks.onCandles(context, round);
      },
    };
  },
};

const run = simulate({
  strategy: told,
  candles: Object.fromEntries(rows.map(({ symbol, candles }) => [symbol, candles])),
  candleInterval: '1h',
  size: { equity_pct: 50 },
  leverage: 3,
  cash: CASH,
  takerFee: 0.00059,
  makerFee: 0.00023,
  slippageBps: 2,
});

// Longs pay shorts where the rate is above 0, on what was held when the settlement's candle began.
let funding = 0;
for (const { symbol, candles, rates } of rows) {
  const held = run.positionsOf(symbol);
  candles.forEach(({ openTime, open }, index) => {
    funding -= (held[index - 1] ?? 0) * open * (rates.get(openTime) ?? 0);
  });
}
const hold = rows.map(({ candles }) => candles.at(-1).close / candles[0].open - 1);
const percent = (part) => `${(part * 100).toFixed(2)} %`;
console.log(
  `without funding   ${run.return_pct.toFixed(2)} %, deepest fall ${run.max_drawdown_pct.toFixed(2)} %`,
);
console.log(`funding received  ${percent(funding / CASH)} of the cash at the start`);
console.log(`together          ${percent(run.return_pct / 100 + funding / CASH)}`);
console.log(
  `fills             ${run.fills.length}, fees ${run.fees.toFixed(2)}, refused ${run.refusals.length}`,
);
console.log(
  `buy and hold      ${rows.map(({ symbol }, at) => `${symbol} ${percent(hold[at])}`).join(', ')}`,
);
