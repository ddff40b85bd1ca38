import {
  remainder,
  isAtLeast,
  isAtMost,
  textFromFixed,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { SluiceConfig } from '../../config/config.js';
import { ConfigError } from '../../core/command-errors.js';
import { didYouMean } from '../../core/suggestion.js';

/**
 * Compares a configuration with the venue's listed instruments, before the account is read.
 * @throws ConfigError with every problem at its place in the file
 */
export function checkListedSymbols(config: SluiceConfig, listed: readonly Instrument[]): void {
  const bySymbol = new Map(listed.map((instrument) => [instrument.symbol, instrument]));
  const problems = config.strategies.flatMap(({ symbols, leverage }, index) =>
    symbols.flatMap((symbol, position) => {
      const instrument = bySymbol.get(symbol);
      const path = ['strategies', index, 'symbols', position];
      if (instrument === undefined) {
        const suggestion = didYouMean(symbol, [...bySymbol.keys()]);
        return [
          `${config.locate(path)} strategies[${index}].symbols[${position}]: the venue does not list ${symbol}${suggestion}`,
        ];
      }
      const fault = leverageFault(leverage, instrument);
      if (fault === undefined) return [];
      const where = config.locate(['strategies', index, 'leverage']);
      return [`${where} strategies[${index}].leverage: ${fault}`];
    }),
  );
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Why an instrument does not allow a leverage, or undefined (interface: asset, leverage bounds). */
export function leverageFault(leverage: Ratio, instrument: Instrument): string | undefined {
  const { symbol, minLeverage, maxLeverage, leverageStep } = instrument;
  const onStep = leverageStep === 0 || remainder(leverage, leverageStep) === 0;
  if (isAtLeast(leverage, minLeverage) && isAtMost(leverage, maxLeverage) && onStep)
    return undefined;
  const [least, most, step] = [minLeverage, maxLeverage, leverageStep].map(textFromFixed);
  return `${symbol} takes ${least} to ${most} in steps of ${step}, not ${textFromFixed(leverage)}`;
}
