import { textFromFixed } from '../../core/fixed/fixed.js';
import {
  ownShareOf,
  type RecoveredPosition,
} from '../../execution/recovery/recovered-positions.js';
import type { PositionStatus } from './status-report.js';

/** A position of the journal that the venue has not shown: its values there are not known. */
export const journaledPosition = (position: RecoveredPosition): PositionStatus => ({
  symbol: position.symbol,
  currency: position.currency,
  quantity: textFromFixed(position.quantity),
  own: textFromFixed(ownShareOf(position)),
  venue: null,
  entry_price: null,
  last_price: null,
  unrealised_pnl: null,
  stop_loss: null,
  take_profit: null,
});
