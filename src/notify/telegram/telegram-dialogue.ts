import type { TelegramButton, TelegramUpdate } from './telegram-protocol.js';

/** Levels of the kill switch, from the weakest. */
export const TIGHTENING = ['pause', 'cancel', 'flatten'] as const;
export type TighteningLevel = (typeof TIGHTENING)[number];

/** Real ms in which a button can be pressed. */
export const BUTTON_MS = 60_000;
/** Buttons that wait; older ones expire. */
const MAX_BUTTONS = 20;

/** Everything that a chat may do: look, acknowledge, and tighten. Nothing here loosens or trades. */
export interface ChatActions {
  status(): string;
  /** @returns keys of the alerts whose repetition has ended */
  acknowledge(): readonly string[];
  /** Sets a level of the kill switch; resolves once it is durable. */
  tighten(level: TighteningLevel, reason: string): Promise<void>;
}

export interface DialogueReply {
  readonly text: string;
  readonly buttons: readonly TelegramButton[];
}

export interface TelegramDialogueParts {
  readonly actions: ChatActions;
  /** ms of this process. */
  readonly monotonicMs: () => number;
  /** Text that no one can guess, at most 40 characters. */
  readonly nonce: () => string;
}

interface PendingButton {
  readonly level: TighteningLevel;
  readonly user: number;
  readonly expiresAt: number;
}

const HELP = `/status: the bot now
/ack: ends the repetition of the alerts
/pause, /cancel, /flatten: the levels of the kill switch, each behind a button
\`sluice resume\` on the server ends a level; no chat can.`;

const EFFECTS: Readonly<Record<TighteningLevel, string>> = {
  pause: 'entries stop, exits leave',
  cancel: 'every order of the bot is canceled, stops of positions stay',
  flatten: 'every order is canceled and every position is closed at the market',
};

/** The commands of a chat. Its updates come from allowed users only. */
export class TelegramDialogue {
  readonly #parts: TelegramDialogueParts;
  readonly #buttons = new Map<string, PendingButton>();

  constructor(parts: TelegramDialogueParts) {
    this.#parts = parts;
  }

  async handle(update: TelegramUpdate): Promise<DialogueReply> {
    return update.kind === 'text'
      ? this.#onText(update.user, update.text)
      : this.#onButton(update.user, update.data);
  }

  #onText(user: number, text: string): DialogueReply {
    // In a group a command may name its bot: /status@my_bot.
    const command = /^\/([a-z]+)(?:@\w+)?(?:\s|$)/.exec(text.trim())?.[1];
    const { actions } = this.#parts;
    if (command === 'status') return plain(actions.status());
    if (command === 'ack') {
      const keys = actions.acknowledge();
      return plain(
        keys.length === 0 ? 'No alert is repeated.' : `Acknowledged: ${keys.join(', ')}`,
      );
    }
    const level = TIGHTENING.find((each) => each === command);
    return level === undefined ? plain(HELP) : this.#ask(user, level);
  }

  #ask(user: number, level: TighteningLevel): DialogueReply {
    const nonce = this.#parts.nonce();
    const oldest = this.#buttons.keys().next();
    if (this.#buttons.size >= MAX_BUTTONS && oldest.done !== true)
      this.#buttons.delete(oldest.value);
    this.#buttons.set(nonce, { level, user, expiresAt: this.#parts.monotonicMs() + BUTTON_MS });
    return {
      text: `${level}: ${EFFECTS[level]}. It stands until \`sluice resume\`. Confirm within 60 s:`,
      buttons: [{ text: `yes, ${level}`, data: nonce }],
    };
  }

  /** A button counts once, for the user that asked for it, within its time. */
  async #onButton(user: number, nonce: string): Promise<DialogueReply> {
    const pending = this.#buttons.get(nonce);
    if (pending === undefined)
      return plain('Refused: this button was pressed before, or is of an earlier run.');
    if (pending.user !== user) return plain('Refused: another user asked for this button.');
    this.#buttons.delete(nonce);
    if (this.#parts.monotonicMs() > pending.expiresAt)
      return plain(`Refused: the button has expired. Send /${pending.level} again.`);
    try {
      await this.#parts.actions.tighten(pending.level, `Telegram user ${user}`);
    } catch (error) {
      return plain(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
    }
    return plain(`Done: ${pending.level}. ${this.#parts.actions.status()}`);
  }
}

const plain = (text: string): DialogueReply => ({ text, buttons: [] });
