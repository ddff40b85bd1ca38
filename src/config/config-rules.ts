import { venueUrls, VenueUrlError } from '../venue/futures-api/http/url.js';
import { problemAt } from './config-problems.js';
import type { YamlPath, YamlProblem, YamlSource } from './yaml-source.js';

/**
 * Rules between several keys. They read the plain tree, so that their problems are reported together
 * with those of the schema. Values that the schema rejects are skipped.
 */
export function crossFieldProblems(
  source: YamlSource,
  use: 'run' | 'backtest',
): readonly YamlProblem[] {
  const { tree } = source;
  if (!isMap(tree)) return [];
  const problem = (path: YamlPath, what: string): YamlProblem => problemAt(source, path, what);
  return [
    ...(use === 'run' ? [...venueProblems(tree, problem), ...modeProblems(tree, problem)] : []),
    ...ownerProblems(tree, source),
    ...metricsProblems(tree, problem),
    ...sizeProblems(tree, problem),
  ];
}

type Problem = (path: YamlPath, what: string) => YamlProblem;

function venueProblems(tree: PlainMap, problem: Problem): readonly YamlProblem[] {
  const { venue, mode } = tree;
  if (!isMap(venue)) return [];
  const at = (key: string, what: string | undefined): readonly YamlProblem[] =>
    what === undefined ? [] : [problem(['venue', key], what)];
  const currency = venue['trade_currency'];
  return [
    ...(venue['embedded'] === undefined
      ? ADDRESSES.flatMap((key) => at(key, addressProblem(key, venue[key], mode)))
      : embeddedProblems(venue, mode, at)),
    ...at(
      'inr_rate',
      currency === 'INR' && venue['inr_rate'] === undefined
        ? 'is missing: the venue has no rate feed; give { value: "…" } in INR per USDT'
        : undefined,
    ),
  ];
}

const LOOPBACK_HOST = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/;

/** The page needs no key and names positions and equity. */
function metricsProblems({ metrics }: PlainMap, problem: Problem): readonly YamlProblem[] {
  if (!isMap(metrics)) return [];
  const { host, allow_remote: remote } = metrics;
  if (typeof host !== 'string' || LOOPBACK_HOST.test(host) || remote === true) return [];
  const what = `is not loopback, and every caller could read positions and equity; allow_remote: true permits it`;
  return [problem(['metrics', 'host'], what)];
}

/** Other modes would silently ignore the keys of one mode. */
function modeProblems(tree: PlainMap, problem: Problem): readonly YamlProblem[] {
  const { mode, live } = tree;
  if (isReal(mode) || live === undefined) return paperProblems(tree, problem);
  const what = `is for mode: live, and this is mode: ${String(mode)}`;
  return [problem(['live'], what), ...paperProblems(tree, problem)];
}

function paperProblems(
  { mode, venue, paper, canary }: PlainMap,
  problem: Problem,
): readonly YamlProblem[] {
  if (mode === 'paper' && canary !== undefined)
    return [problem(['canary'], 'reads a real account, and this is mode: paper')];
  if (mode !== 'sandbox' && !isReal(mode)) return [];
  const what = `is for mode: paper, and this is mode: ${mode}`;
  const file = isMap(venue) && venue['instruments_file'] !== undefined;
  return [
    ...(paper === undefined ? [] : [problem(['paper'], what)]),
    ...(file ? [problem(['venue', 'instruments_file'], what)] : []),
  ];
}

/** The modes that read a real account. */
const isReal = (mode: unknown): mode is 'observe' | 'live' => mode === 'observe' || mode === 'live';

const ADDRESSES = ['base_url', 'ws_url'] as const;

function embeddedProblems(
  venue: PlainMap,
  mode: unknown,
  at: (key: string, what: string | undefined) => readonly YamlProblem[],
): readonly YamlProblem[] {
  const surplus = (key: string, why: string): readonly YamlProblem[] =>
    at(key, venue[key] === undefined ? undefined : `leave it out: ${why}`);
  return [
    ...ADDRESSES.flatMap((key) => surplus(key, 'the sandbox is embedded')),
    ...surplus('api_secret_file', 'an embedded sandbox generates its own secret'),
    ...(mode === 'paper' || isReal(mode)
      ? at('embedded', `is for mode: sandbox, and this is mode: ${mode}`)
      : []),
  ];
}

function addressProblem(
  key: 'base_url' | 'ws_url',
  url: unknown,
  mode: unknown,
): string | undefined {
  if (url === undefined) return 'is missing (or embed a sandbox: embedded: { clock: real })';
  if (typeof url !== 'string') return undefined;
  try {
    // Checks one address at a time, together with a valid other one.
    if (key === 'base_url') venueUrls(url, 'wss://example.com');
    else venueUrls('https://example.com', url);
  } catch (error) {
    if (error instanceof VenueUrlError) return error.message.replace(`${key} `, '');
    throw error;
  }
  // Otherwise mode `sandbox` would bypass the interlocks of `live`.
  return mode === 'sandbox' && !LOOPBACK.test(new URL(url).hostname)
    ? `"${url}" is refused: mode: sandbox trades on 127.0.0.1 or [::1] only`
    : undefined;
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/;

/** One strategy owns a (symbol, currency). All strategies of a file share one currency. */
function ownerProblems(tree: PlainMap, source: YamlSource): readonly YamlProblem[] {
  const problems: YamlProblem[] = [];
  const owners = new Map<string, YamlPath>();
  const ids = new Map<string, YamlPath>();
  strategiesOf(tree).forEach((strategy, index) => {
    const idPath = ['strategies', index, 'id'];
    const id = strategy['id'];
    const firstId = typeof id === 'string' ? ids.get(id) : undefined;
    if (firstId !== undefined) {
      const what = `"${String(id)}" is the id of another strategy too (${source.locate(firstId)})`;
      problems.push(problemAt(source, idPath, what));
    } else if (typeof id === 'string') ids.set(id, idPath);

    listOf(strategy['symbols']).forEach((symbol, position) => {
      const path = ['strategies', index, 'symbols', position];
      if (typeof symbol !== 'string') return;
      const first = owners.get(symbol);
      if (first === undefined) owners.set(symbol, path);
      else problems.push(problemAt(source, path, ownerText(symbol, tree, first, source)));
    });
  });
  return problems;
}

function ownerText(symbol: string, tree: PlainMap, first: YamlPath, source: YamlSource): string {
  const venue = tree['venue'];
  const currency = (isMap(venue) ? venue['trade_currency'] : undefined) ?? 'USDT';
  const owner = strategiesOf(tree)[Number(first[1])]?.['id'];
  return (
    `${symbol} in ${String(currency)} already belongs to "${String(owner)}" (${source.locate(first)}); ` +
    `one strategy owns a symbol and currency`
  );
}

function sizeProblems(tree: PlainMap, problem: Problem): readonly YamlProblem[] {
  return strategiesOf(tree).flatMap((strategy, index) => {
    const { size, protect } = strategy;
    const byRisk = isMap(size) && size['risk_pct'] !== undefined;
    const isSet = (key: string): boolean => isMap(protect) && protect[key] !== undefined;
    const lacksStop = strategy['on_error'] === 'protect' && !isSet('stop_loss_pct');
    const what = 'protect needs protect: { stop_loss_pct: … }, the distance of the stop';
    const policy = lacksStop ? [problem(['strategies', index, 'on_error'], what)] : [];
    if (!byRisk || isSet('stop_loss_pct') || isSet('trailing_pct')) return policy;
    const without =
      'needs protect: { stop_loss_pct: … }, the distance that the risk is measured to';
    return [...policy, problem(['strategies', index, 'size', 'risk_pct'], without)];
  });
}

type PlainMap = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is PlainMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const strategiesOf = (tree: PlainMap): readonly PlainMap[] =>
  listOf(tree['strategies']).map((item) => (isMap(item) ? item : {}));
