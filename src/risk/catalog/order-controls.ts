import type { ControlEntry } from './control-entry.js';

const UNTIL_SMALLER = 'with a smaller order';
const WITH_FRESH_DATA = 'with the next fresh data';

/** Controls of one order and of its symbol. */
export const ORDER_CONTROLS: readonly ControlEntry[] = [
  {
    id: 'R01',
    name: 'order notional',
    class: 'reject',
    clock: 'none',
    summary: 'Refuses an order worth more than the smaller of an amount and a share of the equity.',
    exits: 'pass up to the quantity that they can close',
    ends: UNTIL_SMALLER,
    argument:
      'A wrong size is the costliest error of a bot. A quarter of the equity in one order is far above the sizes of the shipped strategies. The margin of one order has no limit of its own: R14 bounds the sum.',
    example: 'With 1,000 USDT the limit is 250 USDT; with 10,000 USDT it is 500 USDT.',
    inForce: true,
  },
  {
    id: 'R02',
    name: 'order quantity',
    class: 'reject',
    clock: 'none',
    summary: 'Refuses a quantity above the limit of its symbol or above the bounds of the venue.',
    exits: 'pass the limit up to the quantity that they can close; the bounds of the venue hold',
    ends: UNTIL_SMALLER,
    argument:
      'No default, because a sensible quantity differs by symbol. A quantity does not depend on a price, so that it holds when a price is wrong.',
    example: 'With { BTCUSDT: "0.05" } an order of 0.06 BTC is refused.',
    inForce: true,
  },
  {
    id: 'R03',
    name: 'price collar',
    class: 'reject',
    clock: 'none',
    summary: 'Refuses a limit price that is too far from the mark price.',
    exits: 'have a wider limit on the aggressive side',
    ends: 'with a closer price',
    argument:
      'Half a per cent bounds the overpayment of an entry in a thin book. An exit may pay 3 %, because an open position costs more. A limit exit beyond it is refused and never converted: a market exit has no collar, so that the way out stays open.',
    example:
      'At a mark price of 60,000 a limit buy at 60,301 is refused (50 basis points are 300).',
    inForce: true,
  },
  {
    id: 'R05',
    name: 'age of the reference price',
    class: 'reject',
    clock: 'monotonic',
    summary: 'Refuses an order if the last price is unknown or too old.',
    exits: 'have a longer limit; market exits pass',
    ends: WITH_FRESH_DATA,
    argument:
      'Sizes and collars use the last price. The venue sends it about once a second, so that 3 s are three missed updates.',
    example: 'The last price of BTCUSDT came 3,400 ms ago: an entry is refused.',
    inForce: true,
  },
  {
    id: 'R06',
    name: 'age of the account state',
    class: 'reject',
    clock: 'monotonic',
    summary: 'Refuses an order if open orders, positions or wallet are unknown or too old.',
    exits: 'have a longer limit; market exits pass',
    ends: WITH_FRESH_DATA,
    argument:
      'The worst case is computed from them. They are polled every second or two, so that 5 s are several missed polls.',
    example: 'Positions were last read 6 s ago: an entry is refused.',
    inForce: true,
  },
  {
    id: 'R07',
    name: 'instrument rules',
    class: 'reject',
    clock: 'none',
    alwaysOnKey: 'instrument_rules',
    summary:
      'Refuses an order that the venue would reject: steps, bounds, minimum value, trigger on the wrong side.',
    exits: 'have no minimum value and no leverage; they need a position to reduce',
    ends: 'with an order within the rules',
    argument: 'A rejection costs a request and adds no knowledge. There is no switch.',
    example: 'A quantity of 0.0015 BTC with a step of 0.001 is refused.',
    inForce: true,
  },
  {
    id: 'R08',
    name: 'duplicate order',
    class: 'reject',
    clock: 'venue',
    summary:
      'Refuses a second order of one decision, and the same symbol, side, quantity and price within the window; the third within a minute stops the strategy.',
    exits: 'pass at market, except for a repeated decision',
    ends: 'at the end of the window; a stopped strategy needs a restart',
    argument:
      'Most runaway bots repeat one order. Orders that rest at different prices, as those of a grid, are no repeats; orders that fill at once are, because their limits and stops follow the market.',
    example:
      'A market buy of 0.01 BTC 3 s after a market buy of 0.01 BTC is refused. Two buys of 0.01 BTC that rest at 59,000 and 58,500 pass.',
    inForce: true,
  },
  {
    id: 'R10',
    name: 'open orders',
    class: 'reject',
    clock: 'none',
    summary:
      'Refuses one order more than the limit, with waiting, in-flight and unknown orders counted.',
    exits: 'have the same limit if they rest; market exits pass',
    ends: 'when an order ends',
    argument:
      'A grid of five levels on each side needs ten. Forty orders can be canceled in a few seconds.',
    example: 'Twelve orders of BTCUSDT are open: the thirteenth is refused.',
    inForce: true,
  },
  {
    id: 'R12',
    name: 'position notional',
    class: 'reject',
    clock: 'none',
    summary: 'Refuses an order after which the worst position would be worth more than the limit.',
    exits: 'pass: they add nothing',
    ends: 'with a smaller position',
    argument:
      'Two full orders. The worst position counts every open, in-flight and unknown order as filled.',
    example:
      'A position of 800 USDT and an unknown order of 150 USDT: an order of 100 USDT is refused.',
    inForce: true,
  },
  {
    id: 'R15',
    name: 'leverage',
    class: 'reject',
    clock: 'none',
    summary:
      'Refuses an entry at a leverage that is above the limit, unknown, or different at the venue and in the configuration.',
    exits: 'are not checked: a reduction uses no margin',
    ends: 'when the leverage is set again',
    argument: 'At 3x a move of about 30 % liquidates, which leaves time for a stop.',
    example: 'The configuration has 2x and the venue 10x: an entry is refused.',
    inForce: true,
  },
  {
    id: 'R20',
    name: 'self-cross',
    class: 'reject',
    clock: 'none',
    alwaysOnKey: 'self_cross',
    summary: 'Refuses an order that would fill against a resting order of ours.',
    exits: 'pass: the resting entry is canceled first',
    ends: 'when the resting order ends',
    argument:
      'Such a fill pays two fees for nothing, and a venue may see manipulation. There is no switch.',
    example: 'A sell at 60,000 rests: a limit buy at 60,010 is refused.',
    inForce: true,
  },
  {
    id: 'R27',
    name: 'age of an entry, drift of its price',
    class: 'reject',
    clock: 'monotonic',
    summary:
      'Drops an entry whose decision is too old at its sending, or whose price has moved too far since.',
    exits: 'have no age; nor have manual orders',
    ends: 'with the next decision',
    argument:
      'An order from yesterday’s prices is no longer the strategy’s decision. The default age is 5 % of the interval, at least 3 s and at most 60 s.',
    example: 'A decision on a one-minute candle waits 4 s for a permit: it is dropped.',
    inForce: true,
  },
  {
    id: 'R28',
    name: 'allowed symbols and currencies',
    class: 'reject',
    clock: 'none',
    summary: 'Refuses other symbols and currencies.',
    exits: 'pass at market, so that a position can be closed',
    ends: 'with a changed configuration',
    argument: 'In live trading every symbol is named, so that a typing error trades nothing.',
    example: 'With symbols_allow: [BTCUSDT] an order of ETHUSDT is refused.',
    inForce: true,
  },
];
