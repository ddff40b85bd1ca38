import { z } from 'zod';
import type { TransferReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { FuturesWallet, LeverageSetting, SpotWallet, TransferDetail } from './futures-api.js';
import {
  amountOf,
  currencyTag,
  id,
  lenient,
  listOf,
  money,
  optionalText,
  positive,
  present,
  timestamp,
  madeOnce,
} from './wire-value.js';

/** {"balance":"18.1993","locked_amount":"96.4497","first_time_user":false} */
export const walletSchema = madeOnce((asked: Currency) =>
  z
    .object({ balance: money, locked_amount: money, first_time_user: lenient(z.boolean()) })
    .transform((wire): FuturesWallet =>
      present({
        currency: asked,
        balance: wire.balance,
        locked: wire.locked_amount,
        firstTimeUser: wire.first_time_user,
      }),
    ),
);

/**
 * {"total":1250.5,"rewards":0,"invested":250,"withdrawable":1000.5,"coin_investable":…,
 *  "coinset_investable":…,"vault_investable":…}: JSON numbers, kept as they are written.
 */
export const spotWalletSchema = madeOnce((asked: Currency) =>
  z
    .object({
      total: money,
      rewards: money,
      invested: money,
      withdrawable: money,
      coin_investable: lenient(money),
      coinset_investable: lenient(money),
      vault_investable: lenient(money),
    })
    .transform((wire): SpotWallet =>
      present({
        currency: asked,
        total: wire.total,
        rewards: wire.rewards,
        invested: wire.invested,
        withdrawable: wire.withdrawable,
        coinInvestable: wire.coin_investable,
        coinsetInvestable: wire.coinset_investable,
        vaultInvestable: wire.vault_investable,
      }),
    ),
);

/** {"margin_type":"ISOLATED","leverage":"5","collateral_currency_id":0} */
export const leverageSchema = z
  .object({
    leverage: positive<'ratio'>(),
    // Another margin type would be another risk: such an answer is not understood.
    margin_type: z.literal('ISOLATED').default('ISOLATED'),
  })
  .transform((wire): LeverageSetting => ({
    leverage: wire.leverage,
    marginType: wire.margin_type,
  }));

/** {"id":"…"}: of its row in the transactions. */
export const transferIdSchema = z.object({ id }).transform((wire) => wire.id);

const DIRECTIONS = { DEPOSIT: 'deposit', WITHDRAW: 'withdraw' } as const;
/** Capitalized in answers; the filter of requests is in lower case. */
const STATUSES: ReadonlyMap<string, TransferReport['status']> = new Map([
  ['processing', 'processing'],
  ['completed', 'completed'],
]);

/**
 * {"id":"…","wallet_transaction_id":"","transaction_type":"DEPOSIT","amount":"25",
 *  "status":"Completed","created_at":"…Z","updated_at":"…Z"}
 */
export const transactionsSchema = madeOnce((asked: Currency) =>
  listOf(
    z
      .object({
        id,
        wallet_transaction_id: lenient(optionalText),
        transaction_type: z.enum(['DEPOSIT', 'WITHDRAW']),
        trade_currency: currencyTag(asked),
        amount: amountOf<'USDT'>().transform((value) => value as TransferReport['amount']),
        status: z.string(),
        created_at: timestamp,
        updated_at: timestamp,
      })
      .transform((wire): TransferDetail =>
        present({
          id: wire.id,
          currency: wire.trade_currency,
          direction: DIRECTIONS[wire.transaction_type],
          amount: wire.amount,
          status: STATUSES.get(wire.status.toLowerCase()) ?? ('unrecognised' as const),
          walletTransactionId: wire.wallet_transaction_id,
          createdAt: wire.created_at,
          updatedAt: wire.updated_at,
        }),
      ),
  ),
);
