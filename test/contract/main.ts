import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ALL_CASES, numberingFaults } from './all-cases.js';
import type { Case } from './case-registry.js';
import { createClientDriver, type ClientDriver } from './client/driver.js';
import { createHttpDriver } from './http-driver.js';
import { serveTarget } from './in-process.js';
import { openThings, remoteTarget } from './remote.js';
import { jsonReport, textReport, type Run } from './report.js';
import { DEFAULT_SYMBOLS, Suite } from './suite.js';
import type { Target } from './target.js';

const HELP = `npm run contract -- [options]

Runs the interface's cases. Without --base-url against sandboxes of its own.

  --base-url URL       the venue; a sandbox is known by its control paths
  --ws-url URL         default: the base URL with ws
  --secret-file FILE   the API secret; or SLUICE_API_SECRET
  --read-only          the cases that send GETs alone
  --allow-trading      against a venue that is no sandbox: small orders, real money
  --no-limits          the venue's rate limits are off: no pacing, no case about them
  --driver NAME        http | client; default both
  --row ID             cases whose id begins so: R12, E2, W03.1
  --symbols A,B        what is traded; default ${Object.values(DEFAULT_SYMBOLS).join()}
  --long               whole hours and days of rate windows too (many minutes)
  --json               the report as JSON
`;

interface Options {
  readonly readOnly: boolean;
  readonly long: boolean;
  readonly row: string;
  readonly drivers: readonly string[];
  readonly symbols: typeof DEFAULT_SYMBOLS;
}

/** @returns the exit code: 0 if all passed, 1 after a failure, 2 for wrong usage */
export async function main(args: readonly string[]): Promise<number> {
  const values = valuesOf(args);
  if (typeof values === 'string') return print(`${values}\n`, 2);
  if (values.help === true) return print(HELP, 0);
  const faults = numberingFaults();
  if (faults.length > 0) return print(`${faults.join('\n')}\n`, 1);
  const [first = DEFAULT_SYMBOLS.first, second = DEFAULT_SYMBOLS.second] =
    values.symbols?.split(',') ?? [];
  const options: Options = {
    readOnly: values['read-only'] === true,
    long: values.long === true,
    row: values.row ?? '',
    drivers: DRIVERS.filter((name) => name === (values.driver ?? name)),
    symbols: { first, second },
  };
  if (options.drivers.length === 0) return print(`--driver is one of ${DRIVERS.join()}\n`, 2);
  const remote = values['base-url'];
  const runs =
    remote === undefined ? await ownRuns(options) : await remoteRuns(remote, values, options);
  if (typeof runs === 'string') return print(`${runs}\n`, 2);
  if (runs.every(({ results }) => results.length === 0)) return print('no such case\n', 2);
  const allResults = runs.filter(({ results }) => results.length > 0);
  const failed = allResults.some(({ results }) => results.some(({ kind }) => kind === 'failed'));
  return print(
    values.json === true ? jsonReport(allResults) : textReport(allResults),
    failed ? 1 : 0,
  );
}

const DRIVERS = ['http', 'client'];

const FLAGS = {
  'base-url': { type: 'string' },
  'ws-url': { type: 'string' },
  'secret-file': { type: 'string' },
  'read-only': { type: 'boolean' },
  'allow-trading': { type: 'boolean' },
  'no-limits': { type: 'boolean' },
  driver: { type: 'string' },
  row: { type: 'string' },
  symbols: { type: 'string' },
  long: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof FLAGS }>>['values'];

function valuesOf(args: readonly string[]): Values | string {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}

/** Local sandboxes: one without limits for most cases, one with limits for the cases about them. */
async function ownRuns(options: Options): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (const driver of options.drivers) {
    runs.push(await run(await serveTarget(), driver, options, (test) => !test.limits));
  }
  if (options.drivers.includes('http')) {
    const target = await serveTarget({ limits: true });
    runs.push(await run(target, 'http', options, (test) => test.limits, ', limits on'));
  }
  return runs;
}

async function remoteRuns(
  baseUrl: string,
  values: Values,
  options: Options,
): Promise<readonly Run[] | string> {
  if (!/^https?:\/\/[^/]+\/?$/.test(baseUrl))
    return '--base-url is like https://host or http://host:port';
  const secret = secretOf(values['secret-file']);
  if (secret === undefined || secret === '')
    return 'give the API secret: --secret-file FILE or SLUICE_API_SECRET';
  const base = baseUrl.replace(/\/+$/, '');
  const target = await remoteTarget({
    baseUrl: base,
    wsUrl: values['ws-url'] ?? base.replace(/^http/, 'ws'),
    secret,
    limits: values['no-limits'] !== true,
  });
  if (!options.readOnly) {
    const refusal = await whyNotTrade(target, values['allow-trading'] === true);
    if (refusal !== undefined) return refusal;
  }
  const runs: Run[] = [];
  for (const driver of options.drivers) {
    // Rate limits do not depend on the driver, so they are tested once.
    const matches = (test: Case): boolean => driver === 'http' || !test.limits;
    runs.push(await run(target, driver, options, matches));
  }
  return runs;
}

function secretOf(file: string | undefined): string | undefined {
  if (file === undefined) return process.env['SLUICE_API_SECRET'];
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** The cases flatten the account, so open orders and positions would be lost. */
async function whyNotTrade(target: Target, allowed: boolean): Promise<string | undefined> {
  if (!target.controls && !allowed) {
    return 'this venue is no sandbox: --read-only, or --allow-trading for small orders with real money';
  }
  const plain = createHttpDriver(target);
  const open = await openThings(plain);
  await plain.close();
  if (open.length === 0) return undefined;
  return `the account holds ${open.join(', ')}: the cases would cancel and close that`;
}

async function run(
  target: Target,
  driver: string,
  options: Options,
  matches: (test: Case) => boolean,
  note = '',
): Promise<Run> {
  let client: ClientDriver | undefined;
  const suite =
    driver === 'client'
      ? new Suite(target, (plain) => (client = createClientDriver(target, plain)), options.symbols)
      : new Suite(target, undefined, options.symbols);
  const results = [];
  for (const test of ALL_CASES) {
    if (!test.id.startsWith(options.row) || !matches(test)) continue;
    if ((options.readOnly && !test.readOnly) || (test.long && !options.long)) continue;
    results.push(await suite.run(test));
  }
  await client?.close();
  await suite.close();
  const name = driver === 'client' ? 'through the client library' : 'over plain HTTP';
  return {
    name: `${name}${note}`,
    results,
    ...(client === undefined ? {} : { client: client.counts }),
  };
}
