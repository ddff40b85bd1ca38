import { z } from 'zod';
import type { TelegramSettings, TelegramUpdate } from './telegram-protocol.js';

const userSchema = z.object({ id: z.number() });
const chatSchema = z.object({ id: z.number() });
/** The part of an update that a command has (https://core.telegram.org/bots/api#update). */
const updateSchema = z.object({
  update_id: z.number().int(),
  message: z
    .object({
      date: z.number(),
      chat: chatSchema,
      from: userSchema.optional(),
      text: z.string().optional(),
    })
    .optional(),
  callback_query: z
    .object({
      id: z.string(),
      from: userSchema,
      data: z.string().optional(),
      message: z.object({ chat: chatSchema }).optional(),
    })
    .optional(),
});
export type RawUpdate = z.output<typeof updateSchema>;

/** Rows of another form count as read and are nothing else. */
const rowsSchema = z.array(z.looseObject({ update_id: z.number().int() }));

/** The updates of an answer; one that cannot be read keeps its id only. */
export const updatesFrom = (result: unknown): readonly RawUpdate[] =>
  (rowsSchema.safeParse(result).data ?? []).map(
    (row) => updateSchema.safeParse(row).data ?? { update_id: row.update_id },
  );

/** An update of an allowed user in the allowed chat, younger than the start; anything else is dropped. */
export function allowedUpdate(
  { message, callback_query: query }: RawUpdate,
  { chat, users, startedAtMs }: Pick<TelegramSettings, 'chat' | 'users' | 'startedAtMs'>,
): TelegramUpdate | undefined {
  if (message?.text !== undefined) {
    const user = message.from?.id;
    const isAllowed = user !== undefined && users.includes(user) && message.chat.id === chat;
    if (!isAllowed || message.date * 1_000 < startedAtMs) return undefined;
    return { kind: 'text', user, text: message.text };
  }
  if (query?.data === undefined) return undefined;
  const isAllowed = users.includes(query.from.id) && query.message?.chat.id === chat;
  if (!isAllowed) return undefined;
  return { kind: 'button', user: query.from.id, data: query.data, callbackId: query.id };
}
