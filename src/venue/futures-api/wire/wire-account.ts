import { z } from 'zod';
import type { TransferReport } from '../../../core/account.js';
import type { Currency } from '../../../core/currency.js';
import type { FuturesWallet, LeverageSetting, SpotWallet, TransferDetail } from '../futures-api.js';
import {
  nonNegativeSchema,
  currencySchema,
  idSchema,
  lenientSchema,
  listSchema,
  moneySchema,
  optionalTextSchema,
  positiveSchema,
  withoutUndefined,
  timestampSchema,
  memoizeSchema,
} from './wire-value.js';

/** {"balance":"18.1993","locked_amount":"96.4497","first_time_user":false} */
export const walletSchema = memoizeSchema((requested: Currency) =>
  z
    .object({
      balance: moneySchema,
      locked_amount: moneySchema,
      first_time_user: lenientSchema(z.boolean()),
    })
    .transform((wire): FuturesWallet =>
      withoutUndefined({
        currency: requested,
        balance: wire.balance,
        locked: wire.locked_amount,
        firstTimeUser: wire.first_time_user,
      }),
    ),
);

/**
 * {"total":1250.5,"rewards":0,"invested":250,"withdrawable":1000.5,"coin_investable":…,
 *  "coinset_investable":…,"vault_investable":…}: JSON numbers, with all their digits.
 */
export const spotWalletSchema = memoizeSchema((requested: Currency) =>
  z
    .object({
      total: moneySchema,
      rewards: moneySchema,
      invested: moneySchema,
      withdrawable: moneySchema,
      coin_investable: lenientSchema(moneySchema),
      coinset_investable: lenientSchema(moneySchema),
      vault_investable: lenientSchema(moneySchema),
    })
    .transform((wire): SpotWallet =>
      withoutUndefined({
        currency: requested,
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
    leverage: positiveSchema<'ratio'>(),
    // Any other margin type is another risk, so such an answer is unreadable.
    margin_type: z.literal('ISOLATED').default('ISOLATED'),
  })
  .transform((wire): LeverageSetting => ({
    leverage: wire.leverage,
    marginType: wire.margin_type,
  }));

/** {"id":"…"}: the id of the row in the transactions. */
export const transferIdSchema = z.object({ id: idSchema }).transform((wire) => wire.id);

const DIRECTIONS = { DEPOSIT: 'deposit', WITHDRAW: 'withdraw' } as const;
/** Capitalised in answers; lower case in the filter of requests. */
const STATUSES: ReadonlyMap<string, TransferReport['status']> = new Map([
  ['processing', 'processing'],
  ['completed', 'completed'],
]);

/**
 * {"id":"…","wallet_transaction_id":"","transaction_type":"DEPOSIT","amount":"25",
 *  "status":"Completed","created_at":"…Z","updated_at":"…Z"}
 */
export const transactionsSchema = memoizeSchema((requested: Currency) =>
  listSchema(
    z
      .object({
        id: idSchema,
        wallet_transaction_id: lenientSchema(optionalTextSchema),
        transaction_type: z.enum(['DEPOSIT', 'WITHDRAW']),
        trade_currency: currencySchema(requested),
        amount: nonNegativeSchema<'USDT'>().transform((value) => value as TransferReport['amount']),
        status: z.string(),
        created_at: timestampSchema,
        updated_at: timestampSchema,
      })
      .transform((wire): TransferDetail =>
        withoutUndefined({
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
