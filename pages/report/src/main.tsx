import 'uplot/dist/uPlot.min.css';
import './report.css';
import { render } from 'preact';
import type { PageData } from '../../../src/report/page/page-data.js';
import { App } from './app.js';

const page = document.getElementById('page');
const block = document.getElementById('data');
if (page === null || block === null) throw new Error('the page has lost its elements');
const data = JSON.parse(block.textContent) as PageData | string;
if (typeof data === 'string') {
  page.textContent = 'This page has no run in it: sluice backtest fills it.';
} else {
  document.title = `${data.title} · ${data.symbols.join(', ')} · Sluice`;
  page.replaceChildren();
  render(<App data={data} />, page);
}
