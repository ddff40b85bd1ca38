import {
  add,
  fixed,
  multiply,
  ONE,
  SCALE,
  textFromFixed,
  type Fixed,
  type Ratio,
  type Usdt,
} from '../../core/fixed/fixed.js';
import { countText } from '../../core/terminal-text.js';
import { breach, missingData, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { LossFacts } from '../loss/loss-facts.js';
import { compareProducts, productText, proportionText } from '../product-text.js';

/** 100 % in basis points. */
const WHOLE_BPS: Fixed = fixed(10_000 * SCALE);
const HUNDRED: Fixed = fixed(100 * SCALE);

/**
 * R19: loss of the venue day, realised and unrealised. An entry beyond the soft limit is refused at once;
 * the engine latches and flattens (src/engine/account/loss-monitor.ts). A change of the wallet that no
 * trade explains suspends entries: a transfer is no loss.
 */
export const dailyLoss: Control = {
  id: 'R19',
  key: 'daily_loss_limit_pct',
  clock: 'venue',
  class: 'latching',
  judge({ isExit, losses }, { loss }) {
    if (isExit) return undefined;
    if (losses === undefined) return missingData('loss of the venue day');
    const { unexplained, dayLoss, dayStart } = losses;
    if (unexplained !== undefined) return unexplainedChange(unexplained);
    return judgeShare('loss of the venue day', dayLoss, dayStart, loss.maxDayShare.soft);
  },
  margins({ isExit, losses }, { loss }) {
    if (isExit || losses === undefined) return [];
    return shareMargins(losses.dayLoss, losses.dayStart, loss.maxDayShare.soft);
  },
};

/** R21: fall of the equity from its highest value, adjusted for transfers. */
export const drawdown: Control = {
  id: 'R21',
  key: 'max_drawdown_pct',
  clock: 'none',
  class: 'latching',
  judge({ isExit, losses }, { loss }) {
    if (isExit) return undefined;
    if (losses === undefined) return missingData('highest equity');
    return judgeShare('drawdown', losses.drawdown, losses.highWater, loss.maxDrawdownShare);
  },
  margins({ isExit, losses }, { loss }) {
    if (isExit || losses === undefined) return [];
    return shareMargins(losses.drawdown, losses.highWater, loss.maxDrawdownShare);
  },
};

/** @param until venue ms */
export const lossStreakText = (losses: number, until: number): string =>
  `${countText(losses, 'position')} in a row closed at a loss: entries pause until ${new Date(until).toISOString()}`;

/** R26: losing closes in a row pause entries. */
export const lossStreak: Control = {
  id: 'R26',
  key: 'loss_streak',
  clock: 'venue',
  class: 'self-clearing',
  judge({ isExit, losses, venueTime }, { loss }) {
    if (isExit || loss.streak === undefined) return undefined;
    if (losses === undefined) return missingData('losing closes in a row');
    const { pausedUntil } = losses;
    if (pausedUntil === undefined || venueTime >= pausedUntil) return undefined;
    const { losses: streak } = loss.streak;
    return breach(
      () => lossStreakText(streak, pausedUntil),
      () => ({ losses: String(streak), paused_until: String(pausedUntil) }),
    );
  },
  margins({ isExit, losses }, { loss }) {
    if (isExit || loss.streak === undefined || losses === undefined) return [];
    return [
      { value: String(losses.losingCloses), limit: String(loss.streak.losses), unit: 'closes' },
    ];
  },
};

/** R40: notional and orders of a venue day, this order among them. */
export const dailyTurnover: Control = {
  id: 'R40',
  key: 'daily_turnover_x_equity',
  clock: 'venue',
  class: 'self-clearing',
  judge(evidence, { loss }) {
    if (evidence.isExit) return undefined;
    const { losses } = evidence;
    if (losses === undefined) return missingData('turnover of the venue day');
    const orders = ordersWith(evidence, losses);
    if (orders > loss.maxDayOrders) {
      return breach(
        () => `it is order ${orders} of the venue day, limit ${loss.maxDayOrders}`,
        () => ({ orders: String(orders), limit: String(loss.maxDayOrders) }),
        'max_orders_per_day',
      );
    }
    const turnover = turnoverWith(evidence, losses);
    if (turnover === undefined) return missingData(`price of ${evidence.intent.terms.symbol}`);
    const { dayStartUsdt } = losses;
    if (compareProducts(turnover, ONE, loss.maxDayTurnover, dayStartUsdt) <= 0) return undefined;
    const limit = () => productText(loss.maxDayTurnover, dayStartUsdt);
    return breach(
      () =>
        `turnover of the venue day would be ${textFromFixed(turnover)} USDT, limit ${limit()} USDT`,
      () => ({ turnover: textFromFixed(turnover), limit: limit() }),
    );
  },
  margins(evidence, { loss }) {
    const { isExit, losses } = evidence;
    if (isExit || losses === undefined) return [];
    const turnover = turnoverWith(evidence, losses);
    const orders = String(ordersWith(evidence, losses));
    return [
      { part: 'orders', value: orders, limit: String(loss.maxDayOrders), unit: 'orders' },
      ...(turnover === undefined
        ? []
        : [
            {
              part: 'turnover',
              value: textFromFixed(turnover),
              limit: productText(loss.maxDayTurnover, losses.dayStartUsdt),
              unit: 'USDT' as const,
            },
          ]),
    ];
  },
};

/** At `send` the order itself is counted already. */
const ordersWith = ({ phase }: Evidence, { orders }: LossFacts): number =>
  phase === 'decide' ? orders + 1 : orders;

function turnoverWith({ intent, worstPrice }: Evidence, losses: LossFacts): Usdt | undefined {
  if (worstPrice === undefined) return undefined;
  return add(losses.turnover, multiply<'USDT'>(intent.terms.quantity, worstPrice));
}

function unexplainedChange(change: Fixed): Breach {
  return breach(
    () =>
      `the wallet changed by ${textFromFixed(change)} and no trade explains it: ` +
      'the transfers are being read',
    () => ({ unexplained: textFromFixed(change) }),
  );
}

function judgeShare(what: string, value: Fixed, base: Fixed, limit: Ratio): Breach | undefined {
  if (compareProducts(value, ONE, limit, base) <= 0) return undefined;
  return breach(
    () =>
      `${what} is ${textFromFixed(value)} of ${textFromFixed(base)}, ` +
      `limit ${productText(limit, HUNDRED)} %`,
    () => ({ value: textFromFixed(value), limit: productText(limit, base) }),
  );
}

/** A share of nothing has no value. */
function shareMargins(value: Fixed, base: Fixed, limit: Ratio): readonly Margin[] {
  if (base <= 0) return [];
  return [
    {
      value: proportionText(value, WHOLE_BPS, base),
      limit: productText(limit, WHOLE_BPS),
      unit: 'bps',
    },
  ];
}
