import { ACCOUNT_INTERLOCKS } from './account-interlocks.js';
import { ADDRESS_INTERLOCKS } from './address-interlocks.js';
import type { Interlock } from './interlock.js';
import { MARKET_INTERLOCKS } from './market-interlocks.js';
import { PROCESS_INTERLOCKS } from './process-interlocks.js';
import { SECRET_INTERLOCKS } from './secret-interlocks.js';
import { STATE_INTERLOCKS } from './state-interlocks.js';

/** All interlocks, those that send nothing first. */
export const INTERLOCKS: readonly Interlock[] = [
  ...ACCOUNT_INTERLOCKS,
  ...ADDRESS_INTERLOCKS,
  ...SECRET_INTERLOCKS,
  ...PROCESS_INTERLOCKS,
  ...STATE_INTERLOCKS,
  ...MARKET_INTERLOCKS,
].toSorted((one, other) => Number(one.reads === 'venue') - Number(other.reads === 'venue'));
