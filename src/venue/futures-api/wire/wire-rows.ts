import { z } from 'zod';
import type { UnreadableRow } from '../../../core/account.js';
import {
  listSchema,
  optionalTextSchema,
  withoutUndefined,
  ROW_FAULTS,
  symbolSchema,
} from './wire-value.js';

export interface ParsedRows<Row> {
  readonly rows: readonly Row[];
  readonly unreadable: readonly UnreadableRow[];
}

/**
 * A list in which single rows may be unreadable: a number is out of range or too long. Such a row is
 * reported by its symbol, and the others are used. Any other fault, or an unreadable symbol, makes the
 * whole list unreadable, because the row could hide anything.
 */
export const rowsSchema = <Row>(row: z.ZodType<Row>) =>
  listSchema(z.unknown()).transform((wire, context): ParsedRows<Row> => {
    const rows: Row[] = [];
    const unreadable: UnreadableRow[] = [];
    for (const [at, value] of wire.entries()) {
      const read = row.safeParse(value);
      const unreadableRow = read.success ? undefined : unreadableRowOf(value, read.error);
      if (read.success) rows.push(read.data);
      else if (unreadableRow !== undefined) unreadable.push(unreadableRow);
      else {
        for (const { path, message } of read.error.issues)
          context.addIssue({ code: 'custom', path: [at, ...path], message });
        return z.NEVER;
      }
    }
    return { rows, unreadable };
  });

const named = z.object({
  symbol: symbolSchema,
  id: optionalTextSchema.catch(undefined),
  order_id: optionalTextSchema.catch(undefined),
  position_id: optionalTextSchema.catch(undefined),
});

function unreadableRowOf(value: unknown, { issues }: z.ZodError): UnreadableRow | undefined {
  const name = named.safeParse(value);
  const [issue] = issues;
  if (!name.success || issue === undefined) return undefined;
  if (!issues.every(({ message }) => ROW_FAULTS.has(message))) return undefined;
  const { symbol, id, order_id: orderId, position_id: positionId } = name.data;
  const fault = `${issue.path.join('.')} ${issue.message}`;
  return withoutUndefined({ symbol, id: id ?? orderId ?? positionId, fault });
}
