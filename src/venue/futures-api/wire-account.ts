import { z } from 'zod';
import type { WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { money, positive } from './wire-value.js';

/** {"balance":"18.1993","locked_amount":"96.4497","first_time_user":false} */
export const walletSchema = (asked: Currency) =>
  z.object({ balance: money, locked_amount: money }).transform((wire): WalletReport => ({
    currency: asked,
    balance: wire.balance,
    locked: wire.locked_amount,
  }));

/** {"margin_type":"ISOLATED","leverage":"5","collateral_currency_id":0} */
export const leverageSchema = z
  .object({ leverage: positive<'ratio'>() })
  .transform(({ leverage }) => leverage);
