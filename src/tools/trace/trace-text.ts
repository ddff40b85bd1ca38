import picocolors from 'picocolors';

/** Colours by meaning; plain text without colour. */
export interface Paint {
  readonly name: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly uncertain: (text: string) => string;
  readonly strong: (text: string) => string;
}

export function paintOf(colour: boolean): Paint {
  const { cyan, dim, green, red, yellow, bold } = picocolors.createColors(colour);
  return { name: cyan, dim, good: green, bad: red, uncertain: yellow, strong: bold };
}

/** One line of a tree and its branches. */
export interface Branch {
  readonly text: string;
  readonly below?: readonly Branch[];
}

/** Draws a tree, with a newline at the end. */
export function treeText({ text, below = [] }: Branch): string {
  return `${[text, ...below.flatMap((branch, index) => lines(branch, index === below.length - 1))].join('\n')}\n`;
}

function lines({ text, below = [] }: Branch, last: boolean): readonly string[] {
  const [first = '', ...more] = text.split('\n');
  const indent = last ? '   ' : '│  ';
  const inner = below.flatMap((branch, index) => lines(branch, index === below.length - 1));
  const stroke = below.length > 0 ? '│  ' : '   ';
  return [
    `${last ? '└─ ' : '├─ '}${first}`,
    ...more.map((line) => `${indent}${stroke}${line}`),
    ...inner.map((line) => `${indent}${line}`),
  ];
}

/** A time of a trace for people: a space instead of the T. */
export const spacedTime = (time: string): string => time.replace('T', ' ');
