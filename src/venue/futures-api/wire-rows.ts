import { z } from 'zod';
import type { UnreadableRow } from '../../core/account.js';
import { listOf, optionalText, present, ROW_FAULTS, symbol } from './wire-value.js';

export interface ListRows<Row> {
  readonly rows: readonly Row[];
  readonly unreadable: readonly UnreadableRow[];
}

/**
 * A list of which single rows may not read: an amount beyond the range, or of absurd length. Such a row
 * is named by its symbol, and the others are used. Any other fault, and a row whose symbol does not read
 * either, makes the list unreadable: nobody knows what it hides.
 */
export const rowsOf = <Row>(row: z.ZodType<Row>) =>
  listOf(z.unknown()).transform((wire, context): ListRows<Row> => {
    const rows: Row[] = [];
    const unreadable: UnreadableRow[] = [];
    for (const [at, value] of wire.entries()) {
      const read = row.safeParse(value);
      const left = read.success ? undefined : unreadableOf(value, read.error);
      if (read.success) rows.push(read.data);
      else if (left !== undefined) unreadable.push(left);
      else {
        for (const { path, message } of read.error.issues)
          context.addIssue({ code: 'custom', path: [at, ...path], message });
        return z.NEVER;
      }
    }
    return { rows, unreadable };
  });

const named = z.object({
  symbol,
  id: optionalText.catch(undefined),
  order_id: optionalText.catch(undefined),
  position_id: optionalText.catch(undefined),
});

function unreadableOf(value: unknown, { issues }: z.ZodError): UnreadableRow | undefined {
  const name = named.safeParse(value);
  const [issue] = issues;
  if (!name.success || issue === undefined) return undefined;
  if (!issues.every(({ message }) => ROW_FAULTS.has(message))) return undefined;
  const { symbol: of, id, order_id: orderId, position_id: positionId } = name.data;
  const fault = `${issue.path.join('.')} ${issue.message}`;
  return present({ symbol: of, id: id ?? orderId ?? positionId, fault });
}
