import type { AccountSnapshot } from '../../core/account.js';
import { numberFromFixed } from '../../core/fixed/fixed.js';
import type { Engine } from '../../engine/engine.js';
import { checkLeverageLimit } from '../checks/limit-conflicts.js';
import { checkListedSymbols } from '../checks/listed-symbols.js';
import { checkLoosenedLimits, logLooserThanPreset } from '../checks/loosened-limits.js';
import { SizeCheck } from '../checks/size-check.js';
import { killFileIn } from '../state/kill-file.js';
import { usdtPerUnit } from '../strategies/strategy-instances.js';
import type { BotOptions } from './bot-options.js';
import type { BotParts } from './bot-parts.js';

/** With the kill switch set nothing is placed, so that such a start also cancels under loosened limits. */
export async function checkLimits({
  config,
  operator,
  stateDir,
  ports,
  logger,
}: BotOptions): Promise<void> {
  if (await ports.files.exists(killFileIn(stateDir))) return;
  await checkLoosenedLimits(config, stateDir, ports.files);
  if (operator === undefined) logLooserThanPreset(config, logger);
}

/** Checks the configuration against the listed instruments. An operator's session trades without it. */
export const listedCheck =
  ({ config, operator }: BotOptions): BotParts['checkListed'] =>
  (listed) => {
    if (operator !== undefined) return;
    checkListedSymbols(config, listed);
    checkLeverageLimit(config);
  };

/** Checks sizes against limits and the venue's minimum, once the account is known. */
export function accountCheck({ config, operator, logger }: BotOptions, engine: Engine) {
  const { currency, facts, prices } = engine;
  const check = new SizeCheck({
    config,
    currency,
    logger,
    usdtOf: (amount) => {
      const rate = usdtPerUnit(config.venue);
      if (currency === 'USDT') return numberFromFixed(amount);
      return rate === undefined ? undefined : numberFromFixed(amount) * rate;
    },
    instrument: (symbol) => facts.instrument(symbol),
    lastPrice: (symbol) => prices.last(symbol),
    hasOrders: (symbol) => engine.ledger.openOrders(symbol, currency).length > 0,
  });
  return (snapshot: AccountSnapshot): void => {
    if (operator === undefined) check.onSnapshot(snapshot);
  };
}
