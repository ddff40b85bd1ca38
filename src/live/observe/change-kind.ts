import type { RequestKind, RequestOf, VenueRequest } from '../../core/request.js';

/** Whether a request changes something at the venue. A new kind does not compile until it is listed here. */
const CHANGES = {
  place: true,
  cancel: true,
  'set-leverage': true,
  amend: true,
  'set-leg': true,
  'move-leg': true,
  'change-margin': true,
  transfer: true,
  'find-order': false,
  'read-leverage': false,
  'read-open-orders': false,
  'read-order-history': false,
  'read-positions': false,
  'read-closes': false,
  'read-instrument': false,
  'read-wallet': false,
  'read-spot-wallet': false,
  'read-transfers': false,
} as const satisfies Readonly<Record<RequestKind, boolean>>;

export type ChangeKind = {
  [K in RequestKind]: (typeof CHANGES)[K] extends true ? K : never;
}[RequestKind];

export const isChange = (request: VenueRequest): request is RequestOf<ChangeKind> =>
  CHANGES[request.kind];
