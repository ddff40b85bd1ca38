import type { ControlEntry } from './control-entry.js';

const EXITS_PASS = 'pass';
const CLEARED = 'after two clean reconciliations and 60 s';

/** Controls of entries by the state of the market. */
export const MARKET_CONTROLS: readonly ControlEntry[] = [
  {
    id: 'R04',
    name: 'market orders',
    class: 'reject',
    clock: 'none',
    summary:
      'Refuses a market entry if only exits may be market orders. An order is never converted.',
    exits: EXITS_PASS,
    ends: 'with entry: marketable_limit',
    argument:
      'A market order has no price limit. standard allows it for liquid symbols; cautious does not.',
    example: 'market_orders: reduce_only refuses a market buy without a position.',
    inForce: true,
  },
  {
    id: 'R38',
    name: 'price jump',
    class: 'self-clearing',
    clock: 'venue',
    summary:
      'Stops entries after a move within a second, or a gap between mark and last price, that is too large.',
    exits: EXITS_PASS,
    ends: CLEARED,
    argument:
      'Either the price is wrong or the market is: both are bad moments for an entry. No further read confirms the price.',
    example: 'The price falls from 60,000 to 56,900 within a second: entries stop.',
    inForce: true,
  },
  {
    id: 'R39',
    name: 'slippage of fills',
    class: 'latching',
    clock: 'venue',
    summary:
      'Stops a strategy after three entries within ten minutes that filled too far from their decision.',
    exits: 'are not counted',
    ends: 'when a person resumes',
    argument: 'The book is thinner than the backtest assumed, and each entry pays for it.',
    example: 'Three entries fill 120 basis points away: the strategy stops.',
    inForce: true,
  },
  {
    id: 'R41',
    name: 'funding',
    class: 'reject',
    clock: 'venue',
    summary:
      'Warns about an entry within 60 s before a settlement that would pay funding, and refuses it above a second limit.',
    exits: EXITS_PASS,
    ends: 'after the settlement',
    argument: 'Thirty basis points are more than most trades win.',
    example: 'The predicted rate is 0.35 %: a buy 30 s before the settlement is refused.',
    inForce: true,
  },
  {
    id: 'R42',
    name: 'age of the INR rate',
    class: 'reject',
    clock: 'venue',
    summary:
      'Refuses an INR entry if the newest known rate of INR to USDT is unknown or too old: that of the config, or of an own INR order or position.',
    exits: EXITS_PASS,
    ends: 'with a fresh rate',
    argument:
      'Limits are in USDT, and an old rate shifts all of them. The venue publishes no rate but on own orders and positions, and the rate moves about 1 % in a week.',
    example: 'No INR order for eight days, and a rate of the config as old: an entry is refused.',
    inForce: true,
  },
  {
    id: 'R43',
    name: 'volatility',
    class: 'self-clearing',
    clock: 'venue',
    summary:
      'Stops entries if the range of a minute is a multiple of the average range of 60 minutes.',
    exits: EXITS_PASS,
    ends: CLEARED,
    argument: 'Eight times the usual range happens in crashes and on listings, rarely otherwise.',
    example: 'Minutes usually range 20 USDT: a minute of 170 USDT stops entries.',
    inForce: true,
  },
];
