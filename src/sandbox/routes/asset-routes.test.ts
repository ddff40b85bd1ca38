import { describe, expect, test } from 'vitest';
import { openTestSandbox, START } from '../../../test/support/rigs/test-sandbox.js';

const FUTURES = '/fapi/v1/futures';

describe('assets', () => {
  test('assets are listed with the metadata of the supplement, as strings', async () => {
    const { data } = openTestSandbox();
    const assets = (await data('GET', `${FUTURES}?order=asc`)) as Record<string, unknown>[];
    expect(assets.length).toBeGreaterThanOrEqual(10);
    expect(assets.map((asset) => asset['symbol'])).toEqual(
      expect.arrayContaining(
        ['BTC', 'ETH', 'SOL', 'XRP', 'BNB', 'DOGE', 'ADA', 'LINK'].map((base) => `${base}USDT`),
      ),
    );
    expect(assets[0]).toMatchObject({
      symbol: 'BTCUSDT',
      min_contract: '0.001',
      max_contract: '1500',
      quantity_step: '0.001',
      min_price: '0.1',
      max_price: '1999999.8',
      price_step: '0.1',
      max_market_contract: '150',
      min_notional_value: '5',
      max_funding_rate: '0.005',
      min_funding_rate: '-0.005',
      leverage_step: '0.01',
      min_leverage: '1',
      max_leverage: '100',
      popularity: '1',
      funding_interval: START / 1_000 + 8 * 3_600,
    });
    expect(assets[0]).not.toHaveProperty('1d_high');
  });

  test('assets have the same ids in every sandbox', async () => {
    const ids = async (seed: number) =>
      ((await openTestSandbox({ seed }).data('GET', FUTURES)) as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await ids(1)).toEqual(await ids(2));
    expect(new Set(await ids(1)).size).toBe(10);
  });

  test('assets are sorted and paged; by default the highest rank number comes first', async () => {
    const { data, refusal } = openTestSandbox();
    const symbols = async (query: string) =>
      ((await data('GET', `${FUTURES}${query}`)) as { symbol: string }[]).map(
        ({ symbol }) => symbol,
      );
    expect((await symbols('')).at(-1)).toBe('BTCUSDT');
    expect(await symbols('?sort=price&order=desc&limit=2')).toEqual(['BTCUSDT', 'ETHUSDT']);
    expect(await symbols('?sort=price&order=desc&limit=1&offset=1')).toEqual(['ETHUSDT']);
    expect(await refusal('GET', `${FUTURES}?sort=name`)).toEqual([400, 'Params error']);
  });

  test('an asset is found by id, or by symbol when is_symbol is present in any form', async () => {
    const { data, refusal } = openTestSandbox();
    const bySymbol = await data('GET', `${FUTURES}/BTCUSDT?is_symbol`);
    expect(bySymbol).toMatchObject({
      symbol: 'BTCUSDT',
      '1d_high': expect.any(Number) as number,
      '1d_low': expect.any(Number) as number,
      '1d_volume': expect.any(Number) as number,
    });
    expect(await data('GET', `${FUTURES}/BTCUSDT?is_symbol=false`)).toEqual(bySymbol);
    const { id } = bySymbol as { id: string };
    expect(await data('GET', `${FUTURES}/${id}`)).toEqual(bySymbol);
    expect(await refusal('GET', `${FUTURES}/BTCUSDT`)).toEqual([404, 'Asset not found']);
    expect(await refusal('GET', `${FUTURES}/${id}?is_symbol`)).toEqual([404, 'Asset not found']);
  });

  test('an asset shows an overridden price', async () => {
    const { call, data } = openTestSandbox();
    await call('POST', '/sandbox/price', { symbol: 'BTCUSDT', price: '61234.5' });
    expect(await data('GET', `${FUTURES}/BTCUSDT?is_symbol`)).toMatchObject({ price: '61234.5' });
  });
});

describe('assets where the interface is silent', () => {
  test('assets have a trading fee, or omit it as live captures do', async () => {
    const [shown] = (await openTestSandbox().data('GET', FUTURES)) as object[];
    expect(shown).toMatchObject({ trading_fee_perc: '0.059' });
    const absent = openTestSandbox({ switches: { tradingFeeField: 'absent' } });
    const [bare] = (await absent.data('GET', FUTURES)) as object[];
    expect(bare).not.toHaveProperty('trading_fee_perc');
  });

  test('a symbol may be percent-encoded', async () => {
    const { data } = openTestSandbox();
    expect(await data('GET', `${FUTURES}/%42TCUSDT?is_symbol=0`)).toMatchObject({
      symbol: 'BTCUSDT',
    });
  });
});

describe('leverage', () => {
  const path = `${FUTURES}/BTCUSDT/leverage?is_symbol`;

  test('leverage is unknown until set, per currency', async () => {
    const { data, refusal } = openTestSandbox();
    expect(await refusal('GET', path)).toEqual([404, 'leverage not found']);
    const setting = { margin_type: 'ISOLATED', leverage: '7.5', collateral_currency_id: 0 };
    expect(await data('POST', path, { leverage: 7.5, margin_type: 'ISOLATED' })).toEqual(setting);
    expect(await data('GET', path)).toEqual(setting);
    expect(await refusal('GET', `${path}&trade_currency=INR`)).toEqual([404, 'leverage not found']);
    await data('POST', path, { leverage: '3', trade_currency: 'INR' });
    expect(await data('GET', path)).toEqual(setting);
    expect(await data('GET', `${path}&trade_currency=INR`)).toMatchObject({ leverage: '3' });
  });

  test.each([
    [{ leverage: 101 }, 400, 'leverage out of permissible range'],
    [{ leverage: 0 }, 400, 'leverage out of permissible range'],
    [{ leverage: -5 }, 400, 'leverage out of permissible range'],
    [{ leverage: '5.005' }, 400, 'leverage out of permissible range'],
    [{ leverage: 'five' }, 400, 'leverage out of permissible range'],
    [{}, 400, 'leverage out of permissible range'],
    [{ leverage: 5, trade_currency: 'EUR' }, 400, 'Invalid trade currency'],
    [{ leverage: 5, margin_type: 'CROSS' }, 400, 'Params error'],
    ['{', 400, 'Params error'],
  ])('leverage cannot be set by %j', async (body, status, text) => {
    const { refusal } = openTestSandbox();
    expect(await refusal('POST', path, body)).toEqual([status, text]);
    expect(await refusal('GET', path)).toEqual([404, 'leverage not found']);
  });

  test('leverage of an unknown asset is not found', async () => {
    const { refusal } = openTestSandbox();
    const unknown = `${FUTURES}/NOPE/leverage?is_symbol`;
    expect(await refusal('GET', unknown)).toEqual([404, 'Asset not found']);
    expect(await refusal('POST', unknown, { leverage: 5 })).toEqual([404, 'Asset not found']);
  });
});
