import { hash as digest } from 'node:crypto';
import { assert } from './assert.js';
import type { Currency } from './currency.js';
import { textFromFixed, type Price } from './fixed/fixed.js';
import { decisionKey, type DecisionCause } from './intent.js';
import type { ProtectiveOrderSlot } from './request.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const CLIENT_ORDER_ID = /^[A-Za-z0-9_-]{1,64}$/;
const NAMESPACE_LENGTH = 6;
const HASH_LENGTH = 26;

/** 1 to 64 letters, digits, hyphens, underscores (interface: client_order_id). The venue reads '' as unset. */
export const isClientOrderId = (text: string): boolean => CLIENT_ORDER_ID.test(text);

/** Prefix of every client order id of an account. It distinguishes our orders from external ones. */
export const namespaceOf = (account: string): string =>
  base32(sha256(`namespace|${account}`)).slice(0, NAMESPACE_LENGTH);

export interface OrderIdentity {
  readonly account: string;
  readonly strategyId: string;
  readonly symbol: string;
  readonly currency: Currency;
  readonly cause: DecisionCause;
  readonly ordinal: number;
  readonly leg: number;
}

/**
 * A hash of the decision: the same decision has the same id on any machine and after any restart, so
 * the venue itself rejects the duplicate. `generation` rises only when the id is proven to be used up.
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
  assert(isClientOrderId(id), 'A client order id has the form that the venue accepts');
  return id;
}

export interface ProtectiveOrderIdentity {
  readonly account: string;
  readonly symbol: string;
  readonly currency: Currency;
  readonly positionId: string;
  readonly slot: ProtectiveOrderSlot;
  readonly price: Price;
}

/**
 * The id of a stop or target on a position: a hash, so that the same protective order of the same
 * position always has the same id. `generation` rises when an id is used up: the venue never releases
 * one, even after the order has ended (hazard D4).
 */
export function protectiveOrderIdOf(identity: ProtectiveOrderIdentity, generation: number): string {
  const { account, symbol, currency, positionId, slot, price } = identity;
  // JSON has no bigint. A number is hashed as a number: its ids must not change between versions.
  const priceText = typeof price === 'bigint' ? textFromFixed(price) : price;
  const content = JSON.stringify(['leg', account, symbol, currency, positionId, slot, priceText]);
  const hash = base32(sha256(content)).slice(0, HASH_LENGTH);
  const id = `${namespaceOf(account)}-${hash}-a${generation}`;
  assert(isClientOrderId(id), 'A client order id has the form that the venue accepts');
  return id;
}

/** In one call: a `Hash` object holds native memory, and collecting it pauses the process for milliseconds. */
const sha256 = (text: string): Uint8Array => digest('sha256', text, 'buffer');

/** RFC 4648 alphabet in lower case, no padding: the venue's ids are case-sensitive (hazard A23). */
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
