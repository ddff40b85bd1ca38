import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';

/** Colours of the charts; the style sheet has the same names. */
export interface Palette {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly surface: string;
  readonly accent: string;
  readonly benchmark: string;
  readonly gain: string;
  readonly loss: string;
  readonly short: string;
  readonly warn: string;
  /** Of the runs of a comparison, A to F. */
  readonly 'run-a': string;
  readonly 'run-b': string;
  readonly 'run-c': string;
  readonly 'run-d': string;
  readonly 'run-e': string;
  readonly 'run-f': string;
}

const NAMES = [
  'ink',
  'muted',
  'line',
  'surface',
  'accent',
  'benchmark',
  'gain',
  'loss',
  'short',
  'warn',
  'run-a',
  'run-b',
  'run-c',
  'run-d',
  'run-e',
  'run-f',
] as const satisfies readonly (keyof Palette)[];

/** The colours of the theme that the document has now. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  ) as unknown as Palette;
}

/** `#rrggbb` with an opacity of 0 to 1. */
export const faded = (colour: string, opacity: number): string =>
  colour +
  Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0');

/** The theme of the system, until the person chooses one. */
export function useTheme(): readonly [Theme, () => void] {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const [chosen, choose] = useState<Theme>();
  const [system, setSystem] = useState<Theme>(query.matches ? 'dark' : 'light');
  useEffect(() => {
    const listen = (event: MediaQueryListEvent): void => {
      setSystem(event.matches ? 'dark' : 'light');
    };
    query.addEventListener('change', listen);
    return () => {
      query.removeEventListener('change', listen);
    };
  }, []);
  const theme = chosen ?? system;
  // Before the charts draw: they read the colours of the document.
  document.documentElement.dataset['theme'] = theme;
  return [
    theme,
    () => {
      choose(theme === 'dark' ? 'light' : 'dark');
    },
  ];
}
