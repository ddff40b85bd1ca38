import { describe, expect, it } from 'vitest';
import { ExchangeRig, money, of } from '../../test/support/rigs/exchange-rig.js';
import { ProductSum, subtract, textFromFixed, ZERO, type Fixed } from '../core/fixed/fixed.js';
import { Decimal } from '../core/fixed/decimal.js';
import { rebateOf } from './account/fee-ledger.js';
import { amountFromBig, initialMarginOf, maintenanceMarginOf } from './account/margin.js';

/** Every number that part 12 of the supplement prints, from the running exchange. */

const text = (value: Fixed | undefined): string | undefined => value && textFromFixed(value);
/** Rounded to the places of the printed sample. */
const rounded = (value: Fixed, places: number): string =>
  new Decimal(textFromFixed(value)).toFixed(places);
const cut = (value: Fixed, places: number): string =>
  new Decimal(textFromFixed(value)).toFixed(places, Decimal.ROUND_DOWN);

describe('SOMI: 43.8 at 0.11442, 5x, INR at 96 per USDT, maintenance 1.5 %', () => {
  const open = (): ExchangeRig => {
    const rig = new ExchangeRig({
      symbol: 'SOMIUSDT',
      priceStep: '0.00001',
      maintenanceRate: '0.015',
      price: '0.11442',
      leverage: '5',
      futures: { USDT: money('0'), INR: money('114.9329') },
    });
    rig.trade('buy', '43.8', 'INR');
    return rig;
  };

  const added = (margin: string) => {
    const rig = open();
    const { positionId } = rig.position('INR');
    rig.exchange.adjustMargin(positionId, money(margin));
    const exact = rig.exchange.liquidationPriceWith(positionId, money('0'));
    return {
      exchange: rig.exchange,
      printed: text(rig.position('INR').liquidationPrice),
      exact: exact.ok ? exact.value.toFixed() : exact.code,
    };
  };

  it('114.9329 become 18.1993 free and 96.4497 locked; rows print 96.44', () => {
    const { balance, locked } = open().exchange.futuresWallet('INR');
    // The three printed numbers leave 0.2839 for the fee, whose exact value is 0.28385680.
    expect(rounded(locked, 4)).toBe('96.4497');
    expect(rounded(balance, 4)).toBe('18.1993');
    expect(cut(locked, 2)).toBe('96.44');
  });

  it('the opening fee is 481.11 × 0.00059 = 0.2839', () => {
    const [fee] = open().exchange.fees('INR');
    expect(rounded(fee?.value ?? of('0'), 2)).toBe('481.11');
    expect(rounded(fee?.amount ?? of('0'), 4)).toBe('0.2839');
    expect(text(fee?.amount)).toBe('0.2838568');
    expect(text(fee?.gst)).toBe('0.04330019');
  });

  it('maintenance is 7.44 and liquidation 0.09293', () => {
    const position = open().position('INR');
    expect(rounded(position.maintenanceMargin, 2)).toBe('7.44');
    expect(text(position.liquidationPrice)).toBe('0.09293');
  });

  it('liquidation is 0.092809 after adding 0.5 INR, printed 0.09281', () => {
    const { exchange, ...rig } = added('0.5');
    expect(rig.printed).toBe('0.09281');
    expect(rig.exact.slice(0, 8)).toBe('0.092809');
    expect(exchange.futuresWallet('INR').locked).toBe(money('96.94972864'));
  });

  it('with 1 INR more it would be 0.0926885; the printed 0.0926883614301247 has another hedge rate', () => {
    const rig = open();
    const { positionId } = rig.position('INR');
    const liquidationPrice = (): string => {
      const answer = rig.exchange.liquidationPriceWith(positionId, money('1'));
      return answer.ok ? answer.value.toFixed() : answer.code;
    };
    expect(liquidationPrice().slice(0, 9)).toBe('0.0926885');
    // Added rupees use the current rate: 16 digits need more of it than 8 places hold.
    rig.exchange.setHedgeRate(of('95.9432984'));
    expect(liquidationPrice().slice(0, 16)).toBe('0.0926883614301247'.slice(0, 16));
  });
});

describe('APT: 68.86 at 0.6075, 3x, USDT, maintenance 1 %', () => {
  const open = (): ExchangeRig => {
    const terms = { symbol: 'APTUSDT', priceStep: '0.0001', leverage: '3', price: '0.6075' };
    const rig = new ExchangeRig(terms);
    rig.trade('buy', '68.86');
    rig.move('0.6075', '0.6074');
    return rig;
  };

  it('liquidation is 0.4091', () => {
    expect(text(open().position().liquidationPrice)).toBe('0.4091');
  });

  it('13.96060466 and 0.43471001 match to 5 places from the printed 0.6075 and 0.6074, which are cut', () => {
    const { initialMargin, maintenanceMargin } = open().position();
    expect([text(initialMargin), text(maintenanceMargin)]).toEqual(['13.9606041', '0.43470974']);
    expect(rounded(initialMargin, 5)).toBe(rounded(of('13.96060466'), 5));
    expect(rounded(maintenanceMargin, 5)).toBe(rounded(of('0.43471001'), 5));
  });

  it('both match to the last digit with an average entry of 0.6075000245 and a mark of 0.6074004', () => {
    const quantity = of<'quantity'>('68.86');
    const terms = { takerFeeRate: of<'ratio'>('0.00059'), hedgeRate: of<'ratio'>('1') };
    const cost = BigInt(new Decimal('0.6075000245').times('68.86').times('1e36').toFixed());
    const initial = initialMarginOf({
      ...terms,
      value: cost,
      longSign: 1,
      leverage: of<'ratio'>('3'),
    });
    expect(text(amountFromBig(initial))).toBe('13.96060466');
    const maintenance = maintenanceMarginOf({
      ...terms,
      quantity,
      mark: of<'price'>('0.6074004'),
      maintenanceRate: of<'ratio'>('0.01'),
      bankruptcyValue: ProductSum.ofExact(cost - cost / 3n),
    });
    expect(text(amountFromBig(maintenance))).toBe('0.43471001');
  });
});

describe('XRP: 1.2171 at 100x, liquidated', () => {
  it('XRP closes at 1.204929, printed 1.2049, and loses only the collateral', () => {
    const terms = { symbol: 'XRPUSDT', priceStep: '0.0001', leverage: '100', price: '1.2171' };
    const rig = new ExchangeRig({ ...terms, maintenanceRate: '0.005' });
    const before = rig.exchange.futuresWallet('USDT').balance;
    const { executions } = rig.trade('buy', '1000');
    rig.move('1.2');
    const [row] = rig.exchange.positionHistory('USDT');
    expect(row).toMatchObject({
      kind: 'liquidated',
      closePrice: of('1.2049'),
      pnl: money('-12.171'),
    });
    const order = rig.order(row?.orderId ?? '');
    expect(text(order.averagePrice)).toBe('1.204929');
    // (close − entry) × quantity is the margin without its close fee, which the liquidation pays.
    const fee = money('0.71090811');
    expect(rig.exchange.fees('USDT')[0]?.amount).toBe(fee);
    const left = subtract(
      subtract(subtract(before, executions[0]?.fee ?? ZERO), money('12.171')),
      fee,
    );
    expect(rig.exchange.futuresWallet('USDT')).toMatchObject({ balance: left, locked: 0 });
  });
});

describe('ETH: 0.05 at 4456', () => {
  it('ETH is worth 222.8, at 80.9x too', () => {
    const rig = new ExchangeRig({ symbol: 'ETHUSDT', price: '4456', leverage: '80.9' });
    rig.trade('buy', '0.05');
    const [fee] = rig.exchange.fees('USDT');
    expect([text(fee?.value), text(fee?.amount)]).toEqual(['222.8', '0.131452']);
  });
});

describe('fee rows', () => {
  it('fee rows print 0.05900003 for 43.8 SOMI at 0.11425, computed from a fee of 8 places', () => {
    const terms = { symbol: 'SOMIUSDT', priceStep: '0.00001', price: '0.11425', leverage: '5' };
    const rig = new ExchangeRig(terms);
    rig.trade('buy', '43.8');
    const [fee] = rig.exchange.fees('USDT');
    expect([text(fee?.value), text(fee?.amount)]).toEqual(['5.00415', '0.00295245']);
    expect(fee?.percent).toBe('0.05900003');
  });

  it('fee rows have rebates of 0.0236 %, 40 % of the fee cut to 4 decimals', () => {
    expect(text(rebateOf(money('0.2838568')))).toBe('0.1135');
  });
});
