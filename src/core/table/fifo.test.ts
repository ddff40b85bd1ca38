import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from './fifo.js';
import { removeAt } from './remove-at.js';

test('a Fifo gives its items in the order in which they came, whenever they are taken', () => {
  const step = fc.oneof(fc.integer(), fc.constant('take' as const), fc.constant('clear' as const));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const fifo = new Fifo<number>();
      let expected: number[] = [];
      for (const each of steps) {
        if (each === 'take') expect(fifo.take()).toBe(expected.shift());
        else if (each === 'clear') {
          fifo.clear();
          expected = [];
        } else {
          fifo.add(each);
          expected.push(each);
        }
        expect(fifo.isEmpty).toBe(expected.length === 0);
      }
    }),
  );
});

test('removeAt removes what splice removes', () => {
  const list = fc.array(fc.integer(), { minLength: 1 });
  fc.assert(
    fc.property(list, fc.nat(), (values, number) => {
      const [index, removed] = [number % values.length, [...values]];
      removeAt(removed, index);
      expect(removed).toEqual(values.toSpliced(index, 1));
    }),
  );
});
