import { isAtMost, textFromFixed, type Ratio } from '../../core/fixed.js';
import { breach, unknown, type Breach, type Control } from '../control.js';
import { killPermits, permits } from '../mode.js';

/** R30: the kill switch. `pause` and `flatten` still let exits out, `cancel` nothing. */
export const killSwitch: Control = {
  id: 'R30',
  key: 'kill_switch',
  clock: 'none',
  judge({ killLevel, exit }) {
    if (killLevel === undefined || killPermits(killLevel, exit)) return undefined;
    return breach(
      () => `the kill switch is on (${killLevel})`,
      () => ({ level: killLevel }),
    );
  },
};

/** What the present mode lets out. */
export const tradingMode: Control = {
  id: 'mode',
  key: 'mode',
  clock: 'none',
  judge({ mode, exit }) {
    if (permits(mode, exit)) return undefined;
    return breach(
      () => `mode ${mode} lets no ${exit ? 'order' : 'entry'} out`,
      () => ({ mode }),
    );
  },
};

/**
 * R28: symbols and currencies that may be traded at all. An exit at the market passes: what is held of a
 * symbol that was taken off the list must not be locked in.
 */
export const allowList: Control = {
  id: 'R28',
  key: 'symbols_allow',
  clock: 'none',
  judge({ intent, marketExit }, { symbolsAllow, currenciesAllow }) {
    if (marketExit) return undefined;
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
 * R15: leverage within the limit, and the venue's value the configured one (hazard A33). A reduce-only
 * order blocks no margin (interface, order create v2), so leverage does not bear on it.
 */
export const leverage: Control = {
  id: 'R15',
  key: 'max_leverage',
  clock: 'none',
  judge(evidence, limits) {
    if (evidence.exit) return undefined;
    const { symbol, currency } = evidence.intent.terms;
    const { configuredLeverage: configured, leverage: read } = evidence;
    if (configured === undefined) return unknown(`configured leverage of ${symbol} in ${currency}`);
    if (read === undefined) return unknown(`leverage of ${symbol} in ${currency} at the venue`);
    if (read !== configured) return differs(read, configured);
    if (isAtMost(read, limits.maxLeverage)) return undefined;
    return breach(
      () => `leverage ${textFromFixed(read)} is above ${textFromFixed(limits.maxLeverage)}`,
      () => ({ value: textFromFixed(read), limit: textFromFixed(limits.maxLeverage) }),
    );
  },
  margins({ exit, leverage: read }, { maxLeverage }) {
    if (exit || read === undefined) return [];
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
