import { describe, expect, it } from 'vitest';
import type { PositionReport } from '../../core/account.js';
import { fixedFromText, numberFromFixed } from '../../core/fixed/fixed.js';
import { testInstrument } from '../../testing/instrument.js';
import { configFromYaml } from '../../config/config.js';
import { ConfigError } from '../../core/command-errors.js';
import { SizeCheck } from './size-check.js';

interface Account {
  readonly wallet: string;
  readonly price?: number;
  readonly positions?: readonly PositionReport[];
  readonly orders?: boolean;
}

/** Messages of a start on an account: its refusal, else its warnings. */
function check(size: string, { wallet, price = 100, positions = [], orders = false }: Account) {
  const config = configFromYaml(
    'bot.yaml',
    new TextEncoder().encode(`mode: sandbox
account: demo
venue:
  embedded: { clock: fast:60, seed: 1 }
strategies:
  - id: btc-cross
    use: sma-cross
    symbols: [BTCUSDT]
    size: ${size}
    protect: { stop_loss_pct: 2 }
risk:
  preset: standard
  max_order_notional_usdt: '500'
`),
  );
  const warnings: string[] = [];
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_: unknown, text: string) => void warnings.push(text),
    error: () => undefined,
  };
  const check = new SizeCheck({
    config,
    currency: 'USDT',
    logger,
    usdtOf: numberFromFixed,
    instrument: () =>
      testInstrument({
        symbol: 'BTCUSDT',
        minQuantity: fixedFromText('0.1'),
        minNotional: fixedFromText('24'),
      }),
    lastPrice: () => price,
    hasOrders: () => orders,
  });
  const amounts = { balance: fixedFromText<'USDT'>(wallet), locked: fixedFromText<'USDT'>('0') };
  try {
    check.onSnapshot({ kind: 'positions', currency: 'USDT', startedAt: 0, positions });
    check.onSnapshot({
      kind: 'wallet',
      currency: 'USDT',
      startedAt: 0,
      wallet: { currency: 'USDT', ...amounts },
    });
  } catch (error) {
    if (error instanceof ConfigError) return { refused: error.problems, warnings };
    throw error;
  }
  return { refused: [], warnings };
}

const POSITION: PositionReport = {
  positionId: '1',
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'long',
  quantity: fixedFromText('1'),
  entryPrice: fixedFromText('100'),
  leverage: fixedFromText('1'),
  initialMargin: fixedFromText('100'),
  maintenanceMargin: fixedFromText('1'),
};

const AT = 'bot.yaml:9:25 strategies[0].size.equity_pct: ';
const LIMIT = 'risk.max_order_notional_usdt 500 USDT (bot.yaml:13:28)';
const LOWER =
  'so entries would be refused: lower the size, raise the limit, or set size.on_limit: cap';

describe('the size check at a start', () => {
  it.each([
    [
      'ten per cent of 10,000 that is not to be capped',
      '{ equity_pct: 10, on_limit: refuse }',
      '10000',
      `10 % of 10000 USDT x 1.25 is 1250 USDT, above ${LIMIT}, ${LOWER}`,
    ],
    [
      'the edge: ten per cent of 5,000 is the limit, and a profit goes over it',
      '{ equity_pct: 10, on_limit: refuse }',
      '5000',
      `10 % of 5000 USDT x 1.25 is 625 USDT, above ${LIMIT}, ${LOWER}`,
    ],
  ])('the check refuses %s', (_, size, wallet, text) => {
    expect(check(size, { wallet }).refused).toEqual([expect.stringContaining(text)]);
  });

  it('the error names the place of the size', () => {
    const { refused } = check('{ equity_pct: 10, on_limit: refuse }', { wallet: '10000' });
    expect(refused[0]?.startsWith(AT)).toBe(true);
  });

  it('by default a size above the limit is capped, with a note', () => {
    const { refused, warnings } = check('{ equity_pct: 10 }', { wallet: '10000' });
    expect(refused).toEqual([]);
    expect(warnings).toEqual([
      `btc-cross: 10 % of 10000 USDT is 1000 USDT; it is capped by ${LIMIT}`,
    ]);
  });

  it.each([
    ['{ equity_pct: 10, on_limit: refuse }', '4000'],
    ['{ equity_pct: 10 }', '5000'],
    ["{ notional: '250' }", '10000'],
    ['{ risk_pct: 0.5 }', '1000'],
  ])('the check accepts %s of %s USDT', (size, wallet) => {
    expect(check(size, { wallet })).toEqual({ refused: [], warnings: [] });
  });

  it.each([
    ['{ equity_pct: 1 }', '1000', '1 % of 1000 USDT is 10 USDT'],
    ["{ notional: '20' }", '1000', '20 USDT'],
    ["{ quantity: '0.1' }", '1000', '0.1 BTCUSDT at 100 is 10 USDT'],
    ['{ risk_pct: 0.1 }', '100', 'a loss of 0.1 % of 100 USDT at the stop is 5 USDT'],
  ])('the check refuses %s of %s USDT, which is below the minimum', (size, wallet, sum) => {
    const text = `${sum}; the venue's minimum order is 24 USDT (0.1 BTCUSDT, 24 USDT), so no entry would be sent: raise the size`;
    expect(check(size, { wallet }).refused).toEqual([expect.stringContaining(text)]);
  });

  it('the check refuses a share of the equity that is below the minimum', () => {
    const { refused } = check("{ notional: '250' }", { wallet: '100' });
    expect(refused).toEqual([
      expect.stringContaining(
        'size.notional: 250 USDT, above risk.max_order_notional_pct_equity 25 USDT (its default; risk: at bot.yaml:11:1)',
      ),
    ]);
    expect(check('{ equity_pct: 100 }', { wallet: '80' }).refused).toEqual([
      expect.stringMatching(/capped to 19\.8 USDT by .*; the venue's minimum order is 24 USDT/),
    ]);
  });

  it('a strategy with an open position or order runs with a warning', () => {
    const wallet = '100';
    for (const kept of [{ positions: [POSITION] }, { orders: true }]) {
      const { refused, warnings } = check("{ notional: '250' }", { wallet, ...kept });
      expect(refused).toEqual([]);
      expect(warnings).toEqual([expect.stringContaining('above risk.max_order_notional_pct')]);
    }
  });
});
