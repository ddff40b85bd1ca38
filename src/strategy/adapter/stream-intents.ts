import type { EnterRequest, Intent, LimitRequest, ProtectRequest } from '../contract/intent.js';

/** The functions by which a stream makes its intents. */
export const STREAM_INTENTS = {
  target: (symbol: string, conviction: number): Intent => ({ kind: 'target', symbol, conviction }),
  targetQuantity: (symbol: string, quantity: number): Intent => ({
    kind: 'target-quantity',
    symbol,
    quantity,
  }),
  enter: (symbol: string, request: EnterRequest): Intent => ({ kind: 'enter', symbol, request }),
  exit: (symbol: string): Intent => ({ kind: 'exit', symbol }),
  limit: (symbol: string, request: LimitRequest): Intent => ({ kind: 'limit', symbol, request }),
  cancel: (orderKey: number): Intent => ({ kind: 'cancel', orderKey }),
  protect: (symbol: string, request: ProtectRequest): Intent => ({
    kind: 'protect',
    symbol,
    request,
  }),
};
