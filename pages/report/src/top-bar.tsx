import type { Theme } from './theme.js';

interface TopBarProps {
  /** Id and name of each section; the first is that of the charts. */
  readonly sections: readonly (readonly [string, string])[];
  readonly theme: Theme;
  readonly onTheme: () => void;
}

/** The link for the keyboard, the sections, and the switch of the theme. */
export function TopBar({ sections, theme, onTheme }: TopBarProps) {
  return (
    <>
      <a class="skip" href="#equity">
        Skip to the charts
      </a>
      <header class="top">
        <span class="brand">Sluice</span>
        <nav aria-label="Sections">
          {sections.map(([id, name]) => (
            <a key={id} href={`#${id}`}>
              {name}
            </a>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={onTheme}>
          {theme === 'dark' ? 'Light' : 'Dark'}
          <span class="hidden"> theme</span>
        </button>
      </header>
    </>
  );
}

export function Credits() {
  return (
    <p>
      Price charts by{' '}
      <a href="https://www.tradingview.com/" rel="noreferrer">
        TradingView
      </a>{' '}
      Lightweight Charts™ (Apache-2.0), other charts by uPlot (MIT). The page works without a
      network.
    </p>
  );
}
