import type { AlertLevel } from '../alert/alert-kind.js';
import type { Notice } from '../alert/notice.js';

/** A way to a person. */
export interface NotifyChannel {
  readonly name: string;
  /** Levels that it delivers. */
  readonly levels: ReadonlySet<AlertLevel>;
  /** One attempt. The same notice may be given again. @throws DeliveryError */
  deliver(notice: Notice): Promise<void>;
  close(): Promise<void>;
}

/** A notice was not delivered, as far as is known. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** Another attempt cannot succeed before a person mends the cause. */
  readonly isPermanent: boolean;
  /** Real ms that the receiver asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: {
      readonly isPermanent?: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.isPermanent = options.isPermanent ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
