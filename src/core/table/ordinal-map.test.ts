import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrdinalMap } from './ordinal-map.js';

it('it holds what a map holds, under any additions and removals', () => {
  const step = fc.record({
    adds: fc.boolean(),
    gap: fc.integer({ min: 1, max: 5 }),
    nth: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const [map, model] = [new OrdinalMap<string>(), new Map<number, string>()];
      let last = 0;
      for (const { adds, gap, nth } of steps) {
        if (adds) {
          last += gap;
          map.add(last, `v${last}`);
          model.set(last, `v${last}`);
        } else {
          map.delete(nth % (last + 2));
          model.delete(nth % (last + 2));
        }
        expect(map.size).toBe(model.size);
        expect(map.values).toEqual([...model.values()]);
        for (let key = 0; key <= last + 1; key += 1) {
          expect(map.get(key)).toBe(model.get(key));
          expect(map.has(key)).toBe(model.has(key));
        }
      }
    }),
  );
});

it.each([3, 2])('a number that does not count up is refused: %d after 3', (key) => {
  const map = new OrdinalMap<string>();
  map.add(3, 'a');
  expect(() => {
    map.add(key, 'b');
  }).toThrow(`The number ${key} counts up`);
});
