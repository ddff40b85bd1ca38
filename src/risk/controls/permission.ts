import { isAtMost, textFromFixed, type Ratio } from '../../core/fixed/fixed.js';
import { breach, missingData, type Breach, type Control } from '../control.js';
import { killPermits, permits } from '../mode.js';

/** R30: the kill switch. `pause` and `flatten` allow exits, `cancel` allows no order. */
export const killSwitch: Control = {
  id: 'R30',
  key: 'kill_switch',
  clock: 'none',
  class: 'latching',
  judge({ killLevel, isExit }) {
    if (killLevel === undefined || killPermits(killLevel, isExit)) return undefined;
    return breach(
      () => `the kill switch is on (${killLevel})`,
      () => ({ level: killLevel }),
    );
  },
};

/** A mode other than TRADING stops entries. An exit leaves, unless the account is unknown or the run ends. */
export const tradingMode: Control = {
  id: 'mode',
  key: 'mode',
  clock: 'none',
  class: 'reject',
  judge({ mode, modeCause, isExit, exitHold }) {
    if (permits(mode, isExit) && (!isExit || exitHold === undefined)) return undefined;
    return breach(
      () =>
        `mode ${mode} lets no ${isExit ? 'order' : 'entry'} out${modeCause === undefined ? '' : ` (${modeCause})`}`,
      () => ({ mode, ...(modeCause !== undefined && { cause: modeCause }) }),
    );
  },
};

/**
 * R22: no entry on a symbol with exposure that no own order explains. Operator orders pass, because an
 * operator decides on them; reductions pass, because they only reduce risk.
 */
export const attribution: Control = {
  id: 'R22',
  key: 'foreign_hand',
  clock: 'none',
  class: 'latching',
  judge({ isExit, haltReason, intent }) {
    if (haltReason === undefined || isExit || intent.cause.kind === 'operator') return undefined;
    const { symbol } = intent.terms;
    return breach(
      () => `${symbol} is halted: ${haltReason}`,
      () => ({ symbol, cause: haltReason }),
    );
  },
};

/**
 * R28: symbols and currencies that may be traded. A market exit passes: a position in a symbol that was
 * removed from the list must not be locked in.
 */
export const allowList: Control = {
  id: 'R28',
  key: 'symbols_allow',
  clock: 'none',
  class: 'reject',
  judge({ intent, isMarketExit }, { symbolsAllow, currenciesAllow }) {
    if (isMarketExit) return undefined;
    const { symbol, currency } = intent.terms;
    if (symbolsAllow !== '*' && !symbolsAllow.has(symbol)) {
      return breach(
        () => `${symbol} is not in symbols_allow`,
        () => ({ symbol }),
      );
    }
    if (currenciesAllow.has(currency)) return undefined;
    return breach(
      () => `${currency} is not in currencies_allow`,
      () => ({ currency }),
    );
  },
};

/**
 * R15: leverage within the limit, and equal at the venue and in the config (hazard A33). A reduce-only
 * order needs no margin (interface: order create v2), so that leverage does not matter.
 */
export const leverage: Control = {
  id: 'R15',
  key: 'max_leverage',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    if (evidence.isExit) return undefined;
    const { symbol, currency } = evidence.intent.terms;
    const { configuredLeverage: configured, leverage: read } = evidence;
    if (configured === undefined)
      return missingData(`configured leverage of ${symbol} in ${currency}`);
    if (read === undefined) return missingData(`leverage of ${symbol} in ${currency} at the venue`);
    if (read !== configured) return differs(read, configured);
    if (isAtMost(read, limits.maxLeverage)) return undefined;
    return breach(
      () => `leverage ${textFromFixed(read)} is above ${textFromFixed(limits.maxLeverage)}`,
      () => ({ value: textFromFixed(read), limit: textFromFixed(limits.maxLeverage) }),
    );
  },
  margins({ isExit, leverage: read }, { maxLeverage }) {
    if (isExit || read === undefined) return [];
    return [{ value: textFromFixed(read), limit: textFromFixed(maxLeverage), unit: 'x' }];
  },
};

function differs(read: Ratio, configured: Ratio): Breach {
  return breach(
    () =>
      `leverage is ${textFromFixed(read)} at the venue and ${textFromFixed(configured)} in the config`,
    () => ({ value: textFromFixed(read), configured: textFromFixed(configured) }),
  );
}
