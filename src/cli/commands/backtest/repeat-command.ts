import type { StrategyConfig } from '../../../config/config-strategy.js';
import type { BacktestPlan } from '../../../backtest/plan.js';
import type { Slippage } from '../../../backtest/slippage.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import type { BacktestOptions } from './backtest-options.js';

/**
 * The shell command that repeats a run in the same working directory. Every cost and rule is given, so that
 * another default of a later version changes nothing; keys of the configuration file stay in that file.
 *
 * @param period open of the first candle and close of the last one, ISO 8601
 */
export function repeatCommand(
  options: BacktestOptions,
  plan: BacktestPlan,
  strategies: readonly StrategyConfig[],
  period: { readonly from: string; readonly to: string },
): string {
  const { config } = options;
  // Several strategies are those of the configuration, as it has them.
  const strategy = strategies.length === 1 ? strategies[0] : undefined;
  const args: readonly (readonly [name: string, value: string | undefined])[] = [
    ['config', config],
    ['strategy', config === undefined ? strategy?.use : strategy?.id],
    ['symbol', strategy?.symbols.join(',')],
    ['interval', strategy?.interval],
    ['detail-interval', options.detailInterval],
    ['data', options.data ?? (options.catalog === undefined ? 'bundled' : undefined)],
    ['catalog', options.catalog],
    ['from', period.from],
    ['to', period.to],
    ...Object.entries(options.params).map(paramArg),
    ['size', strategy === undefined ? undefined : sizeText(options, strategy)],
    ['leverage', leverageText(options, strategy)],
    ['currency', plan.currency],
    ['cash', textFromFixed(plan.cash)],
    ['taker-fee', textFromFixed(plan.takerFeeRate)],
    ['maker-fee', textFromFixed(plan.makerFeeRate)],
    ['slippage', slippageOption(plan.slippage)],
    ['latency', plan.latencyMs === undefined ? undefined : String(plan.latencyMs)],
    ['max-volume-share', options.maxVolumeShare],
    ['rebates', plan.rebates === true ? 'on' : undefined],
    ['inr-rate', inrRateText(options)],
    ['fill', plan.limitFill],
    ['intrabar', plan.intrabar],
    ['funding', fundingText(options)],
    ['mark', markText(options, plan)],
    ['instrument', options.instrument],
    ['risk', riskText(options)],
  ];
  const words = args.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoted(value)],
  );
  const flags = options.allowGaps ? ['--allow-gaps'] : [];
  return ['npx sluice backtest', ...words, ...flags].join(' ');
}

const paramArg = ([key, value]: readonly [string, string]) => ['param', `${key}=${value}`] as const;

const leverageText = (
  { config, leverage }: BacktestOptions,
  strategy: StrategyConfig | undefined,
): string | undefined =>
  config === undefined && strategy !== undefined ? textFromFixed(strategy.leverage) : leverage;

/** A size of the configuration stays there: it may have keys that the option has not. */
function sizeText(options: BacktestOptions, strategy: StrategyConfig): string | undefined {
  if (options.size === undefined && options.config !== undefined) return undefined;
  const size = options.size ?? strategy.size;
  if (size.kind === 'quantity') return `quantity=${textFromFixed(size.quantity)}`;
  if (size.kind === 'notional') return `notional=${size.notional}`;
  return `${size.kind.replace('-', '_')}=${size.percent}`;
}

/** As `--slippage` takes it. */
function slippageOption(slippage: Slippage): string {
  if (slippage.kind === 'volume') return `volume=${slippage.impact}`;
  return slippage.kind === 'fixed' ? String(slippage.bps) : 'auto';
}

function fundingText({ funding }: BacktestOptions): string {
  if (funding?.kind === 'rate') return funding.rate;
  if (funding?.kind === 'catalog') return 'auto';
  return funding?.kind === 'file' ? funding.path : 'none';
}

const inrRateText = ({ inrRate }: BacktestOptions): string | undefined =>
  inrRate?.kind === 'file' ? inrRate.path : inrRate?.rate;

/** Mark prices that the catalogue gets later belong to another run. */
function markText({ mark, catalog }: BacktestOptions, { settlementMarks }: BacktestPlan) {
  if (catalog === undefined || mark !== undefined) return mark;
  return settlementMarks === undefined ? 'none' : undefined;
}

function riskText({ risk, config }: BacktestOptions): string | undefined {
  if (risk === undefined) return config === undefined ? 'research' : undefined;
  return risk.kind === 'file' ? risk.path : risk.kind;
}

/** For a POSIX shell. */
const quoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
