import type { FaultSpec } from '../../harness/bot-world.js';

export const UNCLEAR_ORDERS: readonly FaultSpec[];
