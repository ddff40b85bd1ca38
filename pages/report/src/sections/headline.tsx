import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRatio,
} from '../../../../src/report/figure-format.js';
import type { PageData, PageFigures } from '../../../../src/report/page/page-data.js';
import { Signed } from '../sign.js';
import { dayText, minus, minuteText, spanText, signedMoney, signedPercent } from '../text.js';

/** The yearly growth of a few days is a number without meaning. */
const MIN_GROWTH_DAYS = 30;
const DAY_MS = 86_400_000;

export function Headline({ data }: { data: PageData }) {
  const { figures, currency, title, symbols, interval, origin } = data;
  const net = Number(figures.net_profit);
  return (
    <section class="headline" aria-labelledby="title">
      <p class="kicker">{data.kind === 'backtest' ? 'Backtest' : 'Session'}</p>
      <h1 id="title">
        {title} <small>{symbols.join(', ')}</small>
      </h1>
      <p class="period">
        {periodText(figures)} · {interval} candles · {origin}
      </p>
      <div class="verdict">
        <p class="net">
          <span class="label">Net profit after all costs</span>
          <Signed value={net}>
            <strong>{signedMoney(net)}</strong> <span class="unit">{currency}</span>{' '}
            <span class="share">{signedPercent(figures.return_pct)}</span>
          </Signed>
        </p>
        <p class="sentence">{verdictText(data)}</p>
      </div>
      <dl class="tiles">
        {tilesOf(data).map(({ name, value, note, sign }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <strong class={sign === undefined ? '' : sign > 0 ? 'gain' : sign < 0 ? 'loss' : ''}>
                {value}
              </strong>
              <span>{note}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Notices data={data} />
    </section>
  );
}

/** A short period has times of day. */
function periodText({ from, to, days }: PageFigures): string {
  const timeText = days < 2 ? minuteText : dayText;
  return `${timeText(Date.parse(from))} to ${timeText(Date.parse(to))} UTC, ${spanText(days * DAY_MS)}`;
}

function verdictText({ figures, currency, cash }: PageData): string {
  const { return_pct: own = null, benchmark, sharpe_p_value: chance = null, days } = figures;
  const parts = [`It started with ${formatMoney(cash, currency)}.`];
  const held = benchmark?.return_pct ?? null;
  if (held !== null && own !== null) {
    const gap = formatNumber(Math.abs(own - held), 2);
    const better = own >= held ? 'better' : 'worse';
    parts.push(
      `Buy and hold returned ${signedPercent(held)} with the same costs: the strategy did ${gap} points ${better}.`,
    );
  }
  if (chance !== null)
    parts.push(
      `A strategy without skill shows a Sharpe ratio this high in ${formatPercent(chance * 100)} of such runs.`,
    );
  else if (days < MIN_GROWTH_DAYS)
    parts.push(
      `A period of ${spanText(days * DAY_MS)} is too short to judge a strategy by its Sharpe ratio.`,
    );
  const bounds = boundsText(figures, currency);
  return [...parts, ...(bounds === undefined ? [] : [bounds])].join(' ');
}

/** Candles do not show the order of their prices. */
function boundsText(
  { equity_low: low, equity_high: high, ambiguous_bars: open }: PageFigures,
  currency: string,
): string | undefined {
  if (!low || !high || low === high || !open) return undefined;
  return (
    `Its equity ends between ${formatMoney(Number(low), currency)} and ${formatMoney(Number(high), currency)}: ` +
    `${counted(open, 'candle leaves', 'candles leave')} open which price came first.`
  );
}

interface Tile {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly sign?: number;
}

function tilesOf({ figures, currency }: PageData): readonly Tile[] {
  const costs = costsOf(figures);
  const price = Number(figures.price_pnl ?? NaN);
  return [
    {
      name: 'Buy and hold',
      value: signedPercent(figures.benchmark?.return_pct),
      note: `drawdown ${formatPercent(figures.benchmark?.max_drawdown_pct ?? null)}`,
      sign: figures.benchmark?.return_pct ?? 0,
    },
    {
      name: 'Deepest drawdown',
      value: figures.max_drawdown_pct ? `−${formatPercent(figures.max_drawdown_pct)}` : '–',
      note: `longest ${formatDuration(figures.max_drawdown_days ?? 0)}`,
    },
    {
      name: 'Sharpe ratio',
      value: minus(formatRatio(figures.sharpe ?? null)),
      note: `Sortino ${minus(formatRatio(figures.sortino ?? null))}`,
    },
    {
      name: 'Yearly growth',
      value: figures.days < MIN_GROWTH_DAYS ? '–' : signedPercent(figures.cagr_pct),
      note:
        figures.days < MIN_GROWTH_DAYS
          ? `needs ${MIN_GROWTH_DAYS} days`
          : `volatility ${formatPercent(figures.volatility_pct ?? null)}`,
      ...(figures.days >= MIN_GROWTH_DAYS && { sign: figures.cagr_pct ?? 0 }),
    },
    {
      name: 'Trades',
      value: formatNumber(figures.trades, 0),
      note: `${formatPercent(figures.win_rate_pct ?? null)} won`,
    },
    {
      name: 'Profit factor',
      value: formatRatio(figures.profit_factor ?? null),
      note: `${figures.expectancy === null || figures.expectancy === undefined ? '–' : signedMoney(figures.expectancy)} ${currency} a trade`,
    },
    {
      name: 'Costs',
      value: costs === undefined ? '–' : formatNumber(costs, 2),
      note:
        costs === undefined || !(price > 0)
          ? `${currency}: fees, funding, slippage`
          : costs > 2 * price
            ? `${formatNumber(costs / price, 1)} × the price profit`
            : `${formatPercent((costs / price) * 100)} of the price profit`,
    },
    {
      name: 'Time in the market',
      value: formatPercent(figures.exposure_pct ?? null),
      note: `turnover ${formatRatio(figures.turnover ?? null)} ×`,
    },
  ];
}

/** Fees, funding and slippage in the run's currency: price profit − net profit. */
export function costsOf({ price_pnl, net_profit }: PageFigures): number | undefined {
  return price_pnl === undefined ? undefined : Number(price_pnl) - Number(net_profit);
}

function Notices({ data }: { data: PageData }) {
  const notices = noticesOf(data);
  if (notices.length === 0) return null;
  return (
    <ul class="notices" aria-label="Notices">
      {notices.map(([kind, text]) => (
        <li key={text} class={kind}>
          {text}
        </li>
      ))}
    </ul>
  );
}

type Notice = readonly [kind: string, text: string];

const CHECKS = [
  ['look_ahead', 'Look-ahead'],
  ['warm_up', 'Warm-up'],
] as const;

/** The answers of `--check`, a failed one with its first offending candle. */
const checkNotices = (checks: PageData['checks']): readonly Notice[] =>
  checks === null ? [] : CHECKS.map(([key, name]) => checkNotice(name, checks[key]));

function checkNotice(
  name: string,
  { status, reason, runs, offence }: NonNullable<PageData['checks']>['warm_up'],
): Notice {
  if (status === 'passed')
    return ['good', `✓ Checked: ${name} passed in ${counted(runs, 'further run', 'further runs')}`];
  if (status === 'failed') return ['bad', `✗ ${name} check failed: ${offence?.text ?? ''}`];
  return ['warn', `${name} check ${status === 'not_run' ? 'not run' : status}: ${reason ?? ''}`];
}

function noticesOf({ figures, warnings, checks }: PageData): readonly Notice[] {
  const { errors = [], liquidations = 0, refused = 0, rejected = 0, open_trades = [] } = figures;
  const limited = Object.entries(figures.would_refuse ?? {});
  return [
    ...checkNotices(checks),
    ...errors.map(({ strategy, message }) => ['bad', `${strategy} failed: ${message}`] as const),
    ...(liquidations > 0
      ? [['bad', `${counted(liquidations, 'position was', 'positions were')} liquidated`] as const]
      : []),
    ...(refused > 0
      ? [['warn', `${counted(refused, 'order was', 'orders were')} refused by limits`] as const]
      : []),
    ...(rejected > 0
      ? [['warn', `${counted(rejected, 'order was', 'orders were')} rejected`] as const]
      : []),
    ...limited.map(
      ([control, count]) =>
        [
          'warn',
          `limit ${control} is recorded, not enforced: it would have refused ${counted(count, 'order', 'orders')}`,
        ] as const,
    ),
    ...warnings.map((text) => ['warn', text] as const),
    ...(open_trades.length > 0
      ? [
          [
            'info',
            `${counted(open_trades.length, 'position is', 'positions are')} open at the end, valued at the last close`,
          ] as const,
        ]
      : []),
  ];
}

const counted = (count: number, one: string, many: string): string =>
  `${formatNumber(count, 0)} ${count === 1 ? one : many}`;
