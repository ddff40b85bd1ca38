import { remainder, isAtLeast, isAtMost, textFromFixed, type Ratio } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { SluiceConfig } from './config.js';
import { ConfigError } from './failure.js';
import { didYouMean } from './suggestion.js';

/**
 * Compares a configuration with what the venue lists, before anything is asked of the account.
 * @throws ConfigError with every problem at its place in the file
 */
export function checkListed(config: SluiceConfig, listed: readonly Instrument[]): void {
  const bySymbol = new Map(listed.map((instrument) => [instrument.symbol, instrument]));
  const problems = config.strategies.flatMap(({ symbols, leverage }, index) =>
    symbols.flatMap((symbol, position) => {
      const instrument = bySymbol.get(symbol);
      const path = ['strategies', index, 'symbols', position];
      if (instrument === undefined) {
        const meant = didYouMean(symbol, [...bySymbol.keys()]);
        return [
          `${config.where(path)} strategies[${index}].symbols[${position}]: the venue does not list ${symbol}${meant}`,
        ];
      }
      const fault = leverageFault(leverage, instrument);
      if (fault === undefined) return [];
      const where = config.where(['strategies', index, 'leverage']);
      return [`${where} strategies[${index}].leverage: ${fault}`];
    }),
  );
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Why an instrument does not take a leverage, or undefined (interface, Asset: leverage bounds). */
export function leverageFault(leverage: Ratio, instrument: Instrument): string | undefined {
  const { symbol, minLeverage, maxLeverage, leverageStep } = instrument;
  const onStep = leverageStep === 0 || remainder(leverage, leverageStep) === 0;
  if (isAtLeast(leverage, minLeverage) && isAtMost(leverage, maxLeverage) && onStep)
    return undefined;
  const [least, most, step] = [minLeverage, maxLeverage, leverageStep].map(textFromFixed);
  return `${symbol} takes ${least} to ${most} in steps of ${step}, not ${textFromFixed(leverage)}`;
}
