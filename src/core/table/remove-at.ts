/** Removes one element in place. `splice` returns a new list of it, which counts where each order does this. */
export function removeAt<T>(list: T[], index: number): void {
  for (let at = index + 1; at < list.length; at += 1) list[at - 1] = list[at] as T;
  list.pop();
}
