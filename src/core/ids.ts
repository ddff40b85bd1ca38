import { hash as digest } from 'node:crypto';
import { assert } from './assert.js';
import type { Currency } from './currency.js';
import { textFromFixed, type Price } from './fixed.js';
import { decisionKey, type Cause } from './intent.js';
import type { LegSlot } from './request.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const CLIENT_ORDER_ID = /^[A-Za-z0-9_-]{1,64}$/;
const NAMESPACE_LENGTH = 6;
const HASH_LENGTH = 26;

/** 1 to 64 letters, digits, hyphens, underscores (interface, client_order_id). Empty is unset there. */
export const isClientOrderId = (text: string): boolean => CLIENT_ORDER_ID.test(text);

/** Prefix of every client order id of an account: tells our orders from foreign ones. */
export const namespaceOf = (account: string): string =>
  base32(sha256(`namespace|${account}`)).slice(0, NAMESPACE_LENGTH);

export interface OrderIdentity {
  readonly account: string;
  readonly strategyId: string;
  readonly symbol: string;
  readonly currency: Currency;
  readonly cause: Cause;
  readonly ordinal: number;
  readonly leg: number;
}

/**
 * Content-addressed (design part 5): the same decision has the same id on any machine and after any
 * restart, so that the venue itself refuses the duplicate. `generation` rises only when an id is
 * proved burned.
 */
export function clientOrderIdOf(identity: OrderIdentity, generation: number): string {
  const { account, strategyId, symbol, currency, cause, ordinal, leg } = identity;
  const content = JSON.stringify([
    account,
    strategyId,
    symbol,
    currency,
    decisionKey(cause, ordinal),
    leg,
  ]);
  const hash = base32(sha256(content)).slice(0, HASH_LENGTH);
  const id = `${namespaceOf(account)}-${hash}-a${generation}`;
  assert(isClientOrderId(id), 'A client order id has the form the venue accepts');
  return id;
}

export interface LegIdentity {
  readonly account: string;
  readonly symbol: string;
  readonly currency: Currency;
  readonly positionId: string;
  readonly slot: LegSlot;
  readonly price: Price;
}

/**
 * Of a stop or target on a position: content-addressed like an order's, so that whoever wants the same
 * leg of the same position names it the same. `generation` rises when an id is used up: the venue
 * keeps it for ever, also when the leg has ended (hazard D4).
 */
export function legIdOf(leg: LegIdentity, generation: number): string {
  const { account, symbol, currency, positionId, slot, price } = leg;
  // JSON has no bigint; the other form keeps the ids that it always had.
  const named = typeof price === 'bigint' ? textFromFixed(price) : price;
  const content = JSON.stringify(['leg', account, symbol, currency, positionId, slot, named]);
  const hash = base32(sha256(content)).slice(0, HASH_LENGTH);
  const id = `${namespaceOf(account)}-${hash}-a${generation}`;
  assert(isClientOrderId(id), 'A client order id has the form the venue accepts');
  return id;
}

/** In one call: a `Hash` holds native memory, and what frees it stops the process for milliseconds. */
const sha256 = (text: string): Uint8Array => digest('sha256', text, 'buffer');

/** RFC 4648 alphabet in lower case, no padding: ids are case-sensitive at the venue (hazard A23). */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += ALPHABET.charAt((value >>> (bits - 5)) & 31);
      bits -= 5;
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET.charAt((value << (5 - bits)) & 31) : text;
}
