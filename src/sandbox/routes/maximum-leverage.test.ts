import { describe, expect, test } from 'vitest';
import { openFundedSandbox } from '../../../test/support/rigs/test-sandbox.js';
import { CURRENCIES } from '../../core/currency.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import { STANDARD_LISTINGS } from '../../market/synthetic/listings.js';

const V1 = '/fapi/v1/futures';

interface Row {
  readonly [field: string]: string;
}

const CASES = STANDARD_LISTINGS.flatMap(({ instrument }) =>
  CURRENCIES.flatMap((currency) =>
    (['LONG', 'SHORT'] as const).map((side) => ({
      symbol: instrument.symbol,
      leverage: textFromFixed(instrument.maxLeverage),
      step: Number(textFromFixed(instrument.priceStep)),
      quantityStep: Number(textFromFixed(instrument.quantityStep)),
      currency,
      side,
    })),
  ),
);

describe.each(CASES)('$side $symbol at $leverage in $currency', (listed) => {
  const { symbol, leverage, step, quantityStep, currency, side } = listed;

  async function open() {
    const testSandbox = await openFundedSandbox();
    const price = Math.round((await priceOf(testSandbox)) / step) * step;
    const move = (to: number) =>
      testSandbox.call('POST', '/sandbox/price', {
        symbol,
        price: (Math.round(to / step) * step).toFixed(8),
      });
    await move(price);
    await testSandbox.call('POST', `${V1}/${symbol}/leverage?is_symbol`, {
      leverage,
      trade_currency: currency,
    });
    const quantity = Math.ceil(20 / price / quantityStep) * quantityStep;
    const order = {
      trigger_type: 'MARKET',
      order_type: side,
      quantity: quantity.toFixed(3),
      trade_currency: currency,
    };
    const placed = await testSandbox.call('POST', `/fapi/v2/futures/order?symbol=${symbol}`, order);
    expect(placed.status, placed.text).toBe(202);
    await testSandbox.time.advance(20);
    const rows = () =>
      testSandbox.data('GET', `${V1}/positions?trade_currency=${currency}`) as Promise<
        Row[] | null
      >;
    return { move, rows, price };
  }

  const priceOf = async (
    testSandbox: Awaited<ReturnType<typeof openFundedSandbox>>,
  ): Promise<number> => {
    const asset = (await testSandbox.data('GET', `${V1}/${symbol}?is_symbol`)) as Row;
    return Number(asset['price']);
  };
  const against = side === 'LONG' ? -1 : 1;

  test('the position stays open as it opens, and survives a move of a third of its margin', async () => {
    const { move, rows, price } = await open();
    const [row] = (await rows()) ?? [];
    expect(row).toMatchObject({ symbol, order_type: side, leverage, trade_currency: currency });
    const liquidation = Number(row?.['liquidation_price']);
    expect((liquidation - price) * against).toBeGreaterThan(price * (0.4 / Number(leverage)));
    await move(price * (1 + against * (0.33 / Number(leverage))));
    expect(await rows()).toHaveLength(1);
  });

  test('the position is liquidated before its margin is lost', async () => {
    const { move, rows, price } = await open();
    await move(price * (1 + against * (0.9 / Number(leverage))));
    expect(await rows()).toBeNull();
  });
});
