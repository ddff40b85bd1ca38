const EXPONENT = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/;

/** The shortest decimal that reads back as this double, without an exponent. @param value finite */
export function decimalText(value: number): string {
  const text = String(value);
  const [, sign, first = '', rest = '', exponent] = EXPONENT.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
