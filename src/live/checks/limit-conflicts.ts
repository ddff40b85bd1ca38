import { isAtMost, textFromFixed } from '../../core/fixed/fixed.js';
import { notionalLimits } from '../../risk/headroom.js';
import { enforcesLimits } from '../../risk/preset.js';
import type { SluiceConfig } from '../../config/config.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import { ConfigError } from '../../core/command-errors.js';
import { limitPolicyOf } from '../../strategy/target/size/sizing.js';

/**
 * Refuses a configuration under which some orders can never be accepted at any equity: it would run,
 * trade nothing and end without an error.
 * @throws ConfigError with both keys of each conflict
 */
export function checkLimitConflicts(config: SluiceConfig): void {
  if (!enforcesLimits(config.riskSettings.preset)) return;
  const problems = [
    ...currencyConflicts(config),
    ...config.strategies.flatMap((strategy, index) => [
      ...symbolConflicts(config, strategy, index),
      ...sizeConflicts(config, strategy, index),
    ]),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Called after the checks of the venue's own bounds, whose errors are more precise. @throws ConfigError */
export function checkLeverageLimit(config: SluiceConfig): void {
  if (!enforcesLimits(config.riskSettings.preset)) return;
  const problems = config.strategies.flatMap((strategy, index) =>
    leverageConflicts(config, strategy, index),
  );
  if (problems.length > 0) throw new ConfigError(problems);
}

function currencyConflicts(config: SluiceConfig): readonly string[] {
  const { tradeCurrency } = config.venue;
  const { currenciesAllow } = config.riskSettings.limits;
  if (currenciesAllow.has(tradeCurrency)) return [];
  const rule = riskLocation(config, ['currencies_allow']);
  return [
    `${config.locate(['venue', 'trade_currency'])} venue.trade_currency: ${tradeCurrency} is not in ${rule}, so every order would be refused: add it there`,
  ];
}

function symbolConflicts(
  config: SluiceConfig,
  { symbols }: StrategyConfig,
  index: number,
): readonly string[] {
  const { symbolsAllow } = config.riskSettings.limits;
  if (symbolsAllow === '*') return [];
  return symbols.flatMap((symbol, position) => {
    if (symbolsAllow.has(symbol)) return [];
    const place = config.locate(['strategies', index, 'symbols', position]);
    const rule = riskLocation(config, ['symbols_allow']);
    return [
      `${place} strategies[${index}].symbols[${position}]: ${symbol} is not in ${rule}, so every order in it would be refused: add it there, or take it out here`,
    ];
  });
}

function leverageConflicts(
  config: SluiceConfig,
  { leverage }: StrategyConfig,
  index: number,
): readonly string[] {
  const { maxLeverage } = config.riskSettings.limits;
  if (isAtMost(leverage, maxLeverage)) return [];
  const place = config.locate(['strategies', index, 'leverage']);
  const rule = riskLocation(config, ['max_leverage'], textFromFixed(maxLeverage));
  return [
    `${place} strategies[${index}].leverage: ${textFromFixed(leverage)} is above ${rule}, so every entry would be refused`,
  ];
}

/** Conflicts within the file alone; size-check.ts finds those that depend on the account. */
function sizeConflicts(
  config: SluiceConfig,
  { size, symbols }: StrategyConfig,
  index: number,
): readonly string[] {
  if (limitPolicyOf(size) === 'cap') return [];
  const { limits } = config.riskSettings;
  const at = `strategies[${index}].size`;
  if (size.kind === 'notional') {
    const place = config.locate(['strategies', index, 'size', 'notional']);
    const above = notionalLimits(limits, Number.POSITIVE_INFINITY).filter(
      ({ usdt }) => size.notional > usdt,
    );
    return above.map(
      ({ key, usdt }) =>
        `${place} ${at}.notional: ${size.notional} USDT is above ${riskLocation(config, key, `${usdt} USDT`)}, so every entry would be refused: ${SIZE_ADVICE}`,
    );
  }
  if (size.kind !== 'quantity') return [];
  const place = config.locate(['strategies', index, 'size', 'quantity']);
  return symbols.flatMap((symbol) => {
    const most = limits.maxOrderQuantity.get(symbol);
    if (most === undefined || isAtMost(size.quantity, most)) return [];
    const rule = riskLocation(config, ['max_order_qty', symbol], textFromFixed(most));
    return [
      `${place} ${at}.quantity: ${textFromFixed(size.quantity)} is above ${rule}, so every entry would be refused: ${SIZE_ADVICE}`,
    ];
  });
}

/** How to reconcile a size with a limit. */
export const SIZE_ADVICE = 'lower the size, raise the limit, or set size.on_limit: cap';

/** `risk.max_leverage 5 (config.yaml:30:3)`; a limit that the file omits has its default. */
export function riskLocation(config: SluiceConfig, key: readonly string[], value?: string): string {
  const place = config.locate(['risk', ...key]);
  const name = key.join('.');
  const isGiven = [...config.riskKeys].some((given) => `${given}.`.startsWith(`${name}.`));
  const valueText = value === undefined ? '' : ` ${value}`;
  return `risk.${key.join('.')}${valueText} (${isGiven ? place : `its default; risk: at ${place}`})`;
}
