/** One line of a tree, and what hangs below it. */
export interface Branch {
  readonly text: string;
  readonly below?: readonly Branch[];
}

/** Lines with the strokes of a tree, newline at the end. */
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
