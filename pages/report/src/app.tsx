import { useMemo, useRef, useState } from 'preact/hooks';
import type { PageData } from '../../../src/report/page/page-data.js';
import { EquityChart } from './charts/equity-chart.js';
import { PriceChart } from './charts/price-chart.js';
import { Costs } from './sections/costs.js';
import { Definitions } from './sections/definitions.js';
import { Distribution } from './sections/distribution.js';
import { EvidenceSection } from './sections/evidence.js';
import { Groups } from './sections/groups.js';
import { Headline } from './sections/headline.js';
import { Inputs } from './sections/inputs.js';
import { ReturnMap } from './sections/return-map.js';
import { StatisticsList } from './sections/statistics-list.js';
import { TradesTable } from './sections/trades-table.js';
import { useTheme } from './theme.js';
import { Credits, TopBar } from './top-bar.js';
import { tradesOfPage, type Trade } from './trades.js';

export function App({ data }: { data: PageData }) {
  const [theme, toggleTheme] = useTheme();
  const trades = useMemo(() => tradesOfPage(data.trades, data.rate), [data]);
  const [selected, select] = useState<Trade>();
  const price = useRef<HTMLElement>(null);
  const show = (trade: Trade): void => {
    select(trade);
    price.current?.scrollIntoView({ behavior: 'smooth', block: 'start' });
    price.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <TopBar sections={sectionsOf(data)} theme={theme} onTheme={toggleTheme} />
      <main>
        <Headline data={data} />
        <section id="equity" aria-labelledby="equity-title">
          <h2 id="equity-title">Equity</h2>
          <EquityChart data={data} theme={theme} />
        </section>
        {data.markets.length > 0 && (
          <section id="price" aria-labelledby="price-title" ref={price} tabIndex={-1}>
            <h2 id="price-title">Price and trades</h2>
            <PriceChart
              data={data}
              trades={trades}
              theme={theme}
              selected={selected}
              onSelect={select}
            />
          </section>
        )}
        <section id="trades" aria-labelledby="trades-title">
          <h2 id="trades-title">Trades</h2>
          <TradesTable data={data} trades={trades} selected={selected} onSelect={show} />
        </section>
        <section id="returns" aria-labelledby="returns-title">
          <h2 id="returns-title">Returns by time</h2>
          <ReturnMap data={data} />
        </section>
        {trades.length > 0 && (
          <section id="shape" aria-labelledby="shape-title">
            <h2 id="shape-title">How trades end</h2>
            <Distribution data={data} trades={trades} theme={theme} onSelect={show} />
          </section>
        )}
        <section id="costs" aria-labelledby="costs-title">
          <h2 id="costs-title">Costs</h2>
          <Costs data={data} trades={trades} />
        </section>
        {data.evidence !== null && (
          <section id="evidence" aria-labelledby="evidence-title">
            <h2 id="evidence-title">Would I trade it?</h2>
            <EvidenceSection data={data} evidence={data.evidence} />
          </section>
        )}
        {trades.length > 0 && (
          <section id="groups" aria-labelledby="groups-title">
            <h2 id="groups-title">Where the profit comes from</h2>
            <Groups data={data} />
          </section>
        )}
        <section id="statistics" aria-labelledby="statistics-title">
          <h2 id="statistics-title">All statistics</h2>
          <StatisticsList data={data} />
        </section>
        <section id="inputs" aria-labelledby="inputs-title">
          <h2 id="inputs-title">Inputs, and how to repeat this run</h2>
          <Inputs data={data} />
        </section>
        <section id="definitions" aria-labelledby="definitions-title">
          <h2 id="definitions-title">Definitions</h2>
          <Definitions />
        </section>
      </main>
      <Footer data={data} />
    </>
  );
}

function sectionsOf({
  markets,
  trades,
  evidence,
}: PageData): readonly (readonly [string, string])[] {
  const all = [
    ['equity', 'Equity', true],
    ['price', 'Price', markets.length > 0],
    ['trades', 'Trades', true],
    ['returns', 'Returns', true],
    ['costs', 'Costs', true],
    ['evidence', 'Evidence', evidence !== null],
    ['groups', 'Sources', trades.total > 0],
    ['statistics', 'Statistics', true],
    ['inputs', 'Inputs', true],
  ] as const;
  return all.flatMap(([id, name, isThere]) => (isThere ? [[id, name] as const] : []));
}

function Footer({ data: { thinned, kind } }: { data: PageData }) {
  return (
    <footer>
      {thinned.length > 0 && <p>This page is thinned to stay small. {thinned.join(' ')}</p>}
      <p>
        All times are UTC.{' '}
        {kind === 'backtest'
          ? 'A backtest shows the past under stated assumptions; it promises nothing.'
          : 'Fees of single trades are the charged total, shared by traded value.'}
      </p>
      <Credits />
    </footer>
  );
}
