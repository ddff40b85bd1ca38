import picocolors from 'picocolors';

/** Colours by meaning; none of them where nobody wants any. */
export interface Paint {
  readonly name: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly strong: (text: string) => string;
}

export function paintOf(colour: boolean): Paint {
  const { cyan, dim, green, red, yellow, bold } = picocolors.createColors(colour);
  return { name: cyan, dim, good: green, bad: red, doubtful: yellow, strong: bold };
}
