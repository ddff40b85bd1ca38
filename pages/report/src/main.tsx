import 'uplot/dist/uPlot.min.css';
import './report.css';
import { render } from 'preact';
import type { ComparisonPage } from '../../../src/report/page/comparison-data.js';
import type { PageData } from '../../../src/report/page/page-data.js';
import { App } from './app.js';
import { Comparison, strategiesOf } from './comparison/comparison.js';

const page = document.getElementById('page');
const block = document.getElementById('data');
if (page === null || block === null) throw new Error('the page has lost its elements');
const data = JSON.parse(block.textContent) as PageData | ComparisonPage | string;
if (typeof data === 'string') {
  page.textContent = 'This page has no run in it: sluice backtest fills it.';
} else if (data.kind === 'comparison') {
  document.title = `${data.runs.length} runs · ${strategiesOf(data)} · Sluice`;
  page.replaceChildren();
  render(<Comparison data={data} />, page);
} else {
  document.title = `${data.title} · ${data.symbols.join(', ')} · Sluice`;
  page.replaceChildren();
  render(<App data={data} />, page);
}
