import { numberFromFixed } from '../../../core/fixed/fixed.js';
import { accountBounds, accountLoad, walletUsdt } from '../../../risk/account-load.js';
import { equityUsdt } from '../../../risk/evidence.js';
import {
  numberOf,
  state,
  timesOf,
  type LimitInputs,
  type LimitReader,
  type LimitReading,
} from './limit-reading.js';

/** Controls of the account: exposure, losses, unknown outcomes and failures. */
export const ACCOUNT_READINGS = {
  R09: ({ counts, limits }) => [
    counted('max_entries_per_minute', counts.minuteEntries, limits.breakers.maxEntriesPerMinute),
  ],
  R11: () => [state('by the budget of the venue')],
  R13: (inputs) => {
    const { load, bounds } = loadOf(inputs);
    return [
      usdt('max_gross_exposure_pct', load?.gross, bounds?.gross),
      usdt('max_net_exposure_pct', load && Math.max(load.net.buy, load.net.sell), bounds?.net),
    ];
  },
  R14: (inputs) => {
    const { load, bounds } = loadOf(inputs);
    return [usdt('max_margin_utilisation_pct', load?.margin, bounds?.margin)];
  },
  R17: (inputs) => {
    const { loss } = inputs.limits;
    const equity = numberOf(equityUsdt(inputs.currency, inputs.facts));
    return [
      state(loss.stopLoss, 'require_stop_loss'),
      usdt('max_loss_per_trade_pct', null, timesOf(equity, numberFromFixed(loss.maxTradeShare))),
    ];
  },
  R19: (inputs) => {
    const { loss } = inputs.limits;
    const [value, base] = shareOf(inputs, 'dayLoss', 'dayStart');
    return [
      usdt(
        'daily_loss_limit_pct.soft',
        value,
        timesOf(base, numberFromFixed(loss.maxDayShare.soft)),
      ),
      usdt(
        'daily_loss_limit_pct.hard',
        value,
        timesOf(base, numberFromFixed(loss.maxDayShare.hard)),
      ),
      {
        ...state(`${loss.hardHoldMs} ms`, 'daily_loss_limit_pct.hold_ms'),
        clock: 'monotonic',
      },
      state(`${loss.rearm} (backtests)`, 'rearm'),
    ];
  },
  R21: (inputs) => {
    const [value, base] = shareOf(inputs, 'drawdown', 'highWater');
    const share = numberFromFixed(inputs.limits.loss.maxDrawdownShare);
    return [usdt('max_drawdown_pct', value, timesOf(base, share))];
  },
  R22: ({ limits, restrictions }) => [
    state(limits.protection.externalHand, 'foreign_hand'),
    ...restrictions
      .filter(({ control, symbol }) => control === 'R22' && symbol !== undefined)
      .map(({ symbol, cause }) => ({
        ...state(`held: ${cause}`, 'foreign_hand'),
        ...(symbol !== undefined && { symbol }),
      })),
  ],
  R23: ({ symbols, currency, facts, counts, limits }) => {
    const { symbol: ofSymbol, account } = limits.breakers.maxUnknownOrders;
    return [
      ...symbols.map((symbol) => ({
        ...counted(
          'unknown_intents.symbol',
          facts.exposure.of(symbol, currency).unresolvedIntents,
          ofSymbol,
        ),
        symbol,
      })),
      counted('unknown_intents.account', counts.unknownOrders, account),
    ];
  },
  R24: ({ symbols, counts, limits: { breakers } }) => [
    ...symbols.map((symbol) => ({
      ...events('reject_breaker.symbol', counts.rejections(symbol), breakers.maxRejections.symbol),
      symbol,
    })),
    events('reject_breaker.account', counts.rejections(), breakers.maxRejections.account),
  ],
  R25: ({ counts, limits }) => [events('error_breaker', counts.errors, limits.breakers.maxErrors)],
  R26: ({ facts, currency, limits: { loss } }) => {
    const { streak } = loss;
    if (streak === undefined) {
      return [state('off', 'loss_streak.losses'), state('off', 'loss_streak.pause_ms')];
    }
    const losses = facts.losses(currency);
    const until = losses?.pausedUntil;
    const isPaused = until !== undefined && until > facts.venueTime;
    return [
      events('loss_streak.losses', losses?.losingCloses, streak.losses),
      state(
        isPaused ? `paused until ${new Date(until).toISOString()}` : `${streak.pauseMs} ms`,
        'loss_streak.pause_ms',
      ),
    ];
  },
  R34: (inputs) => {
    const { currency, facts, limits, strategies } = inputs;
    const gross = loadOf(inputs).bounds?.gross;
    return strategies.map(({ id }) => {
      const budget = limits.budgets.get(id);
      const load = budget && accountLoad(currency, facts, undefined, budget.symbols);
      const share = budget === undefined ? 1 : numberFromFixed(budget.share);
      const used = budget === undefined ? null : load?.gross;
      return { ...usdt('strategy_budget_pct', used, timesOf(gross, share)), strategy: id };
    });
  },
  R36: ({ counts, limits }) => [
    events('crash_loop', counts.failedStarts, limits.breakers.maxFailedStarts),
  ],
  R40: ({ facts, currency, limits: { loss } }) => {
    const losses = facts.losses(currency);
    const dayStart = numberOf(losses?.dayStartUsdt);
    const limit = timesOf(dayStart, numberFromFixed(loss.maxDayTurnover));
    return [
      usdt('daily_turnover_x_equity', numberOf(losses?.turnover), limit),
      counted('max_orders_per_day', losses?.orders, loss.maxDayOrders),
    ];
  },
} satisfies Partial<Record<string, LimitReader>>;

type Used = LimitReading['used'];

const usdt = (key: string, used: Used, limit: number | undefined): LimitReading => ({
  key,
  used,
  limit,
  unit: 'USDT',
});
const counted = (key: string, used: Used, limit: number): LimitReading => ({
  key,
  used,
  limit,
  unit: 'orders',
});
const events = (key: string, used: Used, limit: number): LimitReading => ({
  key,
  used,
  limit,
  unit: 'events',
});

function loadOf({ currency, facts, limits }: LimitInputs) {
  const equity = numberOf(equityUsdt(currency, facts));
  const wallet = walletUsdt(currency, facts);
  const isKnown = equity !== undefined && wallet !== undefined;
  return {
    load: accountLoad(currency, facts),
    bounds: isKnown ? accountBounds(limits, equity, wallet) : undefined,
  };
}

/** A loss and its base in USDT: a profit is no loss. */
function shareOf(
  { currency, facts }: LimitInputs,
  value: 'dayLoss' | 'drawdown',
  base: 'dayStart' | 'highWater',
): readonly [value: number | undefined, base: number | undefined] {
  const losses = facts.losses(currency);
  const rate = currency === 'USDT' ? 1 : numberOf(facts.hedgeRate());
  if (losses === undefined || rate === undefined || rate <= 0) return [undefined, undefined];
  return [Math.max(0, numberFromFixed(losses[value])) / rate, numberFromFixed(losses[base]) / rate];
}
