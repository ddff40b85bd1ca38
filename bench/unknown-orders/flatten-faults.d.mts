import type { FaultSpec } from '../../test/support/rigs/bot-world.js';

export const UNCLEAR_ORDERS: readonly FaultSpec[];
