import { beforeEach } from 'vitest';

/** Searches of seconds: they would run for each mutant, and find what the cases beside them find. */
const SLOW = [
  'whichever bit flips',
  'when the disk fills at any byte',
  'in any order of their steps',
];

beforeEach(({ task, skip }) => {
  if (SLOW.some((name) => task.name.includes(name))) skip();
});
