import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from './definition.js';
import { StrategyParamsError } from './params-error.js';
import { parseParams } from './params.js';

const definition = defineStrategy({
  name: 'sample',
  params: z
    .object({
      fast: z.number().int().min(2).default(10),
      slow: z.number().default(50),
      label: z.string().default('none'),
      loud: z.boolean().default(false),
      levels: z.array(z.number()).default([]),
    })
    .refine(({ fast, slow }) => fast < slow, { path: ['fast'], error: 'fast is not below slow' }),
  create: () => ({ onCandle: () => {} }),
});

const parse = (given: unknown) => parseParams(definition, given);
const issuesOf = (given: unknown) => {
  try {
    parse(given);
  } catch (error) {
    if (error instanceof StrategyParamsError) return error;
    throw error;
  }
  throw new Error('It was accepted');
};

describe('parseParams', () => {
  it('absent parameters get their defaults', () => {
    const defaults = { fast: 10, slow: 50, label: 'none', loud: false, levels: [] };
    expect(parse(undefined)).toEqual(defaults);
    expect(parse(null)).toEqual(defaults);
    expect(parse({ slow: 60 })).toEqual({ ...defaults, slow: 60 });
  });

  it('plain texts become numbers and booleans only where the schema requires them', () => {
    const given = { fast: '5', slow: '20.5', label: '7', loud: 'true', levels: ['1', '2'] };
    expect(parse(given)).toEqual({ fast: 5, slow: 20.5, label: '7', loud: true, levels: [1, 2] });
    expect(given.fast).toBe('5');
  });

  it.each([
    [{ fast: 'five' }, ['fast'], /fast: /],
    [{ fast: '1e1' }, ['fast'], /fast: /],
    [{ fast: '2.5' }, ['fast'], /fast: /],
    [{ fast: '1' }, ['fast'], /fast: .*2/],
    [{ levels: [1, 'x'] }, ['levels', 1], /levels\.1: /],
    [{ fast: 60 }, ['fast'], /fast: fast is not below slow/],
    [{ fsat: 5 }, ['fsat'], /fsat: no such parameter; do you mean fast\?/],
    [{ xyz: 5 }, ['xyz'], /xyz: no such parameter; there is fast, slow, label, loud, levels/],
    ['5', [], /params: /],
  ])('%o is refused with the name of the field', (given, path, message) => {
    const error = issuesOf(given);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/Parameters of sample/);
    expect(error.issues[0]?.path).toEqual(path);
  });

  it('all faults are reported at once', () => {
    expect(issuesOf({ fsat: 1, slow: 'x' }).issues).toHaveLength(2);
  });

  it('a schema may accept unknown fields', () => {
    const open = { ...definition, params: z.looseObject({ a: z.number() }) };
    expect(parseParams(open, { a: '1', b: 2 })).toEqual({ a: 1, b: 2 });
    const strict = { ...definition, params: z.strictObject({ a: z.number() }) };
    expect(() => parseParams(strict, { a: 1, b: 2 })).toThrow(/b: no such parameter/);
  });
});
