import { z } from 'zod';

/** The keys of a schema at a path, to suggest one for a mistyped key. */
export function knownKeys(schema: unknown, path: readonly (string | number)[]): readonly string[] {
  const [step, ...rest] = path;
  return shapesOf(schema).flatMap((part) => {
    if (part instanceof z.ZodArray) return step === undefined ? [] : knownKeys(part.element, rest);
    if (!(part instanceof z.ZodObject)) return [];
    const shape = part.shape as Readonly<Record<string, unknown>>;
    return step === undefined ? Object.keys(shape) : knownKeys(shape[step], rest);
  });
}

/** The schemas behind defaults, transforms and unions. */
function shapesOf(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodPipe) return shapesOf(schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(shapesOf);
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional
  ) {
    return shapesOf(schema.unwrap());
  }
  return [schema];
}
