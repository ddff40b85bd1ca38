/** What does not hold ends the run of a scene, with its reason. */
export function must(holds, text) {
  if (!holds) throw new Error(text);
}
