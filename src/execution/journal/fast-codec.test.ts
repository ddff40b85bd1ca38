import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { diskWithStored } from '../../../test/support/builders/stored-journal.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { migrated } from './journal-migrations.js';
import { journalRecord } from './journal-schema.js';
import { fastDecoder, fastEncoder, UNSURE } from './fast-codec.js';

type Raw = Record<string, unknown>;

async function storedRecords(): Promise<readonly Raw[]> {
  const log = await openFramedLog(diskWithStored('v1', 'every-record'), '/state', 'journal');
  return log.read().map((bytes) => migrated(JSON.parse(new TextDecoder().decode(bytes))) as Raw);
}

const records = await storedRecords();
const quickly = fastDecoder(journalRecord);
const byTheSchema = (raw: unknown): unknown => {
  const read = z.safeDecode(journalRecord, raw as never);
  return read.success ? read.data : UNSURE;
};

/** The path to each member, at every depth. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key])),
  ];
}

/** The value with the member at the path replaced, removed, or duplicated. */
function changed(value: unknown, path: readonly string[], change: Change): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (change.kind === 'add') return { ...(value as object), extra: change.value };
    return change.value;
  }
  const { [key]: member, ...others } = value as Raw;
  if (rest.length === 0 && change.kind === 'remove') return others;
  return { ...(value as Raw), [key]: changed(member, rest, change) };
}
interface Change {
  readonly kind: 'replace' | 'remove' | 'add';
  readonly value: unknown;
}

const change = fc.record({
  kind: fc.constantFrom('replace' as const, 'remove' as const, 'add' as const),
  value: fc.oneof(
    fc.constantFrom<unknown>('', '0', '1.50', '-1', 'buy', 'USDT', null, true, [], {}, -1, 0.5),
    fc.constantFrom<unknown>(undefined, Number.NaN, 2 ** 53, 150_000_000),
    fc.jsonValue(),
  ),
});

describe('fast decoder', () => {
  it('the fast decoder reads every kind of record as its schema does', () => {
    for (const raw of records) expect(quickly(raw)).toEqual(byTheSchema(raw));
  });

  it('the fast decoder leaves out the omitted field', () => {
    const { v: _version, ...rest } = byTheSchema(records[0]) as Raw;
    expect(fastDecoder(journalRecord, 'v')(records[0])).toEqual(rest);
    expect(fastDecoder(journalRecord, 'v')({ ...records[0], v: 1 })).toBe(UNSURE);
  });

  it('the fast decoder accepts nothing that the schema refuses for any change in a record', () => {
    fc.assert(
      fc.property(fc.constantFrom(...records), fc.nat(), change, (raw, at, what) => {
        const paths = pathsOf(raw);
        const altered = changed(raw, paths[at % paths.length] ?? [], what);
        const quick = quickly(altered);
        if (quick !== UNSURE) expect(quick).toEqual(byTheSchema(altered));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('fast encoder', () => {
  const written = fastEncoder(journalRecord);
  const values = records.map(byTheSchema);
  const asTheSchemaWrites = (value: unknown): unknown => {
    const raw = z.safeEncode(journalRecord, value as never);
    return raw.success ? raw.data : UNSURE;
  };

  it('the fast encoder writes every kind of record as its schema does, key by key', () => {
    for (const value of values) {
      expect(JSON.stringify(written(value))).toBe(JSON.stringify(asTheSchemaWrites(value)));
    }
  });

  it('the fast encoder writes nothing that the schema refuses for any change in a record', () => {
    fc.assert(
      fc.property(fc.constantFrom(...values), fc.nat(), change, (value, at, what) => {
        const paths = pathsOf(value);
        const altered = changed(value, paths[at % paths.length] ?? [], what);
        const quick = written(altered);
        if (quick !== UNSURE) expect(quick).toEqual(asTheSchemaWrites(altered));
      }),
      { numRuns: 5_000 },
    );
  });
});
