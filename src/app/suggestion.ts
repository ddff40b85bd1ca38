import { nearest } from '../strategy/loader/suggestion.js';

/** `; did you mean "x"?`, or nothing when no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
