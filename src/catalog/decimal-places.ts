const MAX_PLACES = 12;
const POWERS = Float64Array.from({ length: MAX_PLACES + 1 }, (_, places) => Number(`1e${places}`));

/** The decimal places that print every value; undefined: more than 12. */
export function decimalPlaces(columns: readonly Float64Array[]): number | undefined {
  let places = 0;
  for (const column of columns) {
    for (const value of column) {
      while (!prints(value, places)) {
        places += 1;
        if (places > MAX_PLACES) return undefined;
      }
    }
  }
  return places;
}

function prints(value: number, places: number): boolean {
  const power = POWERS[places] as number;
  return Math.round(value * power) / power === value;
}
