/** Messages between the bot's thread and the thread that talks to Telegram. Plain data. */

export interface TelegramSettings {
  /** Address of the Bot API. */
  readonly url: string;
  /** Permits an address of a private network. */
  readonly allowPrivate: boolean;
  readonly token: string;
  readonly chat: number;
  /** May give commands; empty: no update is read. */
  readonly users: readonly number[];
  /** Seconds that one request for updates may wait. */
  readonly pollSeconds: number;
  /** ms UTC: older commands are dropped. */
  readonly startedAtMs: number;
}

export interface TelegramButton {
  readonly text: string;
  /** At most 64 bytes; it comes back when the button is pressed. */
  readonly data: string;
}

export interface TelegramText {
  readonly text: string;
  readonly silent: boolean;
  readonly buttons: readonly TelegramButton[];
}

export type ToTelegram =
  | ({ readonly type: 'send'; readonly id: number } & TelegramText)
  | { readonly type: 'answer'; readonly callbackId: string; readonly text: string };

/** A message or a pressed button of an allowed user in the allowed chat. */
export type TelegramUpdate =
  | { readonly kind: 'text'; readonly user: number; readonly text: string }
  | {
      readonly kind: 'button';
      readonly user: number;
      readonly data: string;
      readonly callbackId: string;
    };

export type FromTelegram =
  | { readonly type: 'sent'; readonly id: number }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly error: string;
      readonly isPermanent: boolean;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly type: 'update'; readonly update: TelegramUpdate }
  /** For the log: commands cannot be read. */
  | { readonly type: 'problem'; readonly text: string };

/** A thread, as its owner sees it. */
export interface TelegramThread {
  post(message: ToTelegram): void;
  terminate(): Promise<void>;
}

export interface TelegramThreadEvents {
  readonly onMessage: (message: FromTelegram) => void;
  /** It has ended by itself. */
  readonly onEnded: (reason: string) => void;
}

export type StartTelegramThread = (
  settings: TelegramSettings,
  events: TelegramThreadEvents,
) => TelegramThread;
