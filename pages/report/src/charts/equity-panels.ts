import uPlot from 'uplot';
import type { PageData } from '../../../../src/report/page/page-data.js';
import { faded, type Palette } from '../theme.js';
import { heightOf, type Panel } from './panels.js';

/** The equity with buy and hold, the drawdown and the open positions. */
export function equityPanels({ equity, currency }: PageData, palette: Palette): readonly Panel[] {
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const area = (colour: string): uPlot.Series => ({
    stroke: faded(colour, 0.8),
    width: 0.75,
    fill: faded(colour, 0.22),
    points: { show: false },
  });
  const edge: uPlot.Series = {
    stroke: faded(palette.accent, 0.5),
    width: 0.75,
    points: { show: false },
  };
  return [
    {
      title: `Equity, ${currency}`,
      height: heightOf(300, 220),
      columns: [
        ...(equity.bounds === null ? [] : [equity.bounds.high, equity.bounds.low]),
        ...(equity.benchmark === null ? [] : [equity.benchmark]),
        equity.equity,
      ],
      ...(equity.bounds !== null && {
        bands: [{ series: [1, 2], fill: faded(palette.accent, 0.2) }],
      }),
      series: [
        ...(equity.bounds === null ? [] : [edge, edge]),
        ...(equity.benchmark === null
          ? []
          : [{ stroke: palette.benchmark, width: 1.25, dash: [5, 4], points: { show: false } }]),
        { stroke: palette.accent, width: 1.75, points: { show: false } },
      ],
      unit: '',
      hasTimes: false,
    },
    {
      title: 'Drawdown',
      height: heightOf(130, 100),
      columns: [equity.drawdown],
      series: [area(palette.loss)],
      unit: ' %',
      hasTimes: false,
    },
    {
      title: 'Open positions, % of equity',
      height: heightOf(120, 100),
      columns: [equity.long, equity.short],
      series: [area(palette.gain), area(palette.short)].map((series) => ({
        ...series,
        ...(stepped !== undefined && { paths: stepped }),
      })),
      unit: ' %',
      hasTimes: true,
    },
  ];
}
