import { countText } from '../../../core/terminal-text.js';
import type { Currency } from '../../../core/currency.js';
import { FIXED_PLACES, fixedFromText, type Amount } from '../../../core/fixed/fixed.js';
import {
  resolveBehavior,
  UnknownBehaviorError,
  type BehaviorChoices,
} from '../../../sandbox/behavior/behavior-choices.js';
import {
  FaultListError,
  parseFaults,
  type FaultRule,
} from '../../../sandbox/faults/fault-rules.js';
import { loadReplay } from '../../../market/synthetic/replay-files.js';
import { createSandbox, type Sandbox } from '../../../sandbox/sandbox.js';
import type { ClockMode } from '../../../sandbox/sandbox-clock.js';
import { listen, PortInUseError, type SandboxServer } from '../../../sandbox/http/server.js';
import {
  parseVenueProfile,
  VenueProfileError,
  type VenueProfile,
} from '../../../sandbox/behavior/venue-profile.js';
import type { Io } from '../../command-io.js';
import type { SandboxCommandOptions } from './sandbox-options.js';
import { EXIT, type ExitCode } from '../../../core/exit-code.js';
import { ConfigError, StartError, UsageError } from '../../../core/command-errors.js';
import { readInputFile } from '../../../config/input-file.js';
import { freshInstanceId, freshSecret } from '../../../io/node/fresh-secret.js';
import { didYouMean } from '../../../core/suggestion.js';
import { codeOf } from '../../../core/system-error.js';

/**
 * Runs `sluice sandbox`: serves the exchange on real sockets until a signal.
 * @throws CommandFailure, SandboxOptionError, CandleFileError
 */
export async function sandboxCommand(options: SandboxCommandOptions, io: Io): Promise<ExitCode> {
  const sandbox = await open(options, io);
  const server = await bind(sandbox, options);
  const stopped = new Promise<void>((resolve) => {
    const unlisten = io.onSignal(() => {
      unlisten();
      resolve();
    });
  });
  sandbox.start();
  io.stdout(options.json ? addressLine(sandbox, server) : banner(sandbox, server, options));
  await stopped;
  sandbox.stop();
  await server.close();
  return EXIT.done;
}

async function open(options: SandboxCommandOptions, io: Io): Promise<Sandbox> {
  const { faults, ...answers } = await behaviorFrom(options, io);
  const given = options.faults === undefined ? [] : await readFaults(options.faults, io);
  const replay =
    options.replay === undefined
      ? undefined
      : await loadReplay(io.files, options.replay, options.startMs);
  if (replay !== undefined && replay.omitted.length > 0) {
    io.stderr(
      `sluice: not listed, because the recording has no price at the start: ${replay.omitted.join(', ')}\n`,
    );
  }
  const startMs = replay?.startMs ?? options.startMs;
  return createSandbox(
    {
      ...answers,
      seed: options.seed,
      clock: options.clock,
      ...(startMs === undefined ? {} : { startMs }),
      ...(replay === undefined ? {} : { replay }),
      instanceId: freshInstanceId(),
      secret: options.secret ?? freshSecret(),
      limits: options.limits,
      retainOrders: options.retainOrders,
      faults: [...faults, ...given],
      spot: fundsFrom(options.spot, '--spot'),
      futures: fundsFrom(options.futures, '--futures'),
    },
    io,
  );
}

/** The sandbox behavior of `--profile`, `--quirks` and `--assume`. */
async function behaviorFrom(options: SandboxCommandOptions, io: Io): Promise<BehaviorChoices> {
  const profile = options.profile === undefined ? {} : await readProfile(options.profile, io);
  try {
    return resolveBehavior({ ...profile, quirks: options.quirks, assume: options.assume });
  } catch (error) {
    if (!(error instanceof UnknownBehaviorError)) throw error;
    const { message, given, known } = error;
    throw new UsageError(`${message}${didYouMean(given, known)}\n  known: ${known.join(', ')}`, {
      cause: error,
    });
  }
}

async function readProfile(path: string, io: Io): Promise<{ readonly profile: VenueProfile }> {
  const bytes = await readInputFile(path, io.files);
  try {
    return { profile: parseVenueProfile(new TextDecoder().decode(bytes)) };
  } catch (cause) {
    if (!(cause instanceof VenueProfileError)) throw cause;
    throw new ConfigError([`${path}: ${cause.message}`], { cause });
  }
}

function fundsFrom(
  texts: Readonly<Record<Currency, string>>,
  option: string,
): Record<Currency, Amount> {
  try {
    return {
      USDT: fixedFromText<'USDT'>(texts.USDT, FIXED_PLACES),
      INR: fixedFromText<'INR'>(texts.INR, FIXED_PLACES),
    };
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${option}: ${error.message}`);
    throw error;
  }
}

/** Reads a fault list, in the format of `PUT /sandbox/faults`. */
async function readFaults(path: string, io: Io): Promise<readonly FaultRule[]> {
  const bytes = await readInputFile(path, io.files);
  try {
    return parseFaults(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    if (cause instanceof FaultListError || cause instanceof SyntaxError) {
      throw new ConfigError([`${path}: ${cause.message}`], { cause });
    }
    throw cause;
  }
}

async function bind(sandbox: Sandbox, options: SandboxCommandOptions): Promise<SandboxServer> {
  try {
    // An explicit address is the permission; the default is loopback.
    return await listen(sandbox, {
      port: options.port,
      host: options.listen,
      allowRemote: true,
      ...(options.allowHosts === undefined ? {} : { allowHosts: options.allowHosts }),
    });
  } catch (cause) {
    if (cause instanceof PortInUseError) {
      const what = `port ${options.port} on ${options.listen} is in use; choose another, or --port 0 for a free one`;
      throw new StartError(what, { cause });
    }
    const reason = LISTEN_ERRORS[codeOf(cause) ?? ''];
    if (reason === undefined) throw cause;
    throw new UsageError(`--listen ${options.listen} --port ${options.port}: ${reason}`, { cause });
  }
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'this machine has no such address; 127.0.0.1 is the usual one',
  EADDRNOTAVAIL: 'this machine has no such address; 127.0.0.1 is the usual one',
  EACCES: 'this user may not open that port; choose one above 1023',
};

const addressLine = (sandbox: Sandbox, server: SandboxServer): string =>
  `${JSON.stringify({
    base_url: server.baseUrl,
    ws_url: server.wsUrl,
    api_secret: sandbox.secret,
  })}\n`;

function banner(sandbox: Sandbox, server: SandboxServer, options: SandboxCommandOptions): string {
  const { baseUrl, wsUrl } = server;
  const market = options.replay ?? `synthetic, seed ${options.seed}`;
  const time = new Date(sandbox.now()).toISOString();
  return `A local exchange is listening. Ctrl-C stops it.

  base_url    ${baseUrl}
  ws_url      ${wsUrl}
  api_secret  ${sandbox.secret}
  market      ${market}; ${countText(sandbox.symbols.length, 'instrument')}
  venue time  ${time}, ${clockText(options.clock)}

  curl -s -H 'X-Authentication: ${sandbox.secret}' '${baseUrl}/fapi/v1/futures/funds'
  curl -s '${baseUrl}/sandbox/state'

`;
}

function clockText(clock: ClockMode): string {
  switch (clock.kind) {
    case 'real':
      return 'as fast as real time';
    case 'fast':
      return `${clock.factor} times as fast as real time`;
    case 'manual':
      return 'stopped until POST /sandbox/clock moves it';
  }
}
