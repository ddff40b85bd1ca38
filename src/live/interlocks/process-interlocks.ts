import { fail, pass, REAL, type Interlock } from './interlock.js';

/** Options of Node that reveal nothing and run no foreign code. */
const HARMLESS_OPTIONS = new Set([
  '--enable-source-maps',
  '--max-old-space-size',
  '--max-semi-space-size',
  '--no-deprecation',
  '--no-warnings',
  '--unhandled-rejections',
]);

/** Options that open a debugger, write memory to disk or run other code first. */
const REVEALING_OPTION =
  /^(?:--inspect|--debug|--report|--heap|--cpu-prof|--diagnostic|--abort-on-uncaught|--trace|--perf|--prof|--require$|-r$|--import$|--loader$|--experimental-loader$)/;

const nameOf = (option: string): string => option.split('=', 1)[0] ?? option;

const debuggerInterlock: Interlock = {
  id: 'debugger',
  severity: 'hard',
  modes: REAL,
  reads: 'machine',
  requires:
    'no debugger can connect, and no option of Node writes its memory to disk or runs other code first (`NODE_OPTIONS`, `NODE_DEBUG`, `--inspect`)',
  mend: 'start without options of Node: unset NODE_OPTIONS NODE_DEBUG',
  judge({ machine: { env, isInspected, nodeArguments } }) {
    const fromEnv = (env['NODE_OPTIONS'] ?? '').split(/\s+/).filter((text) => text !== '');
    const harmful = [
      ...fromEnv.filter((text) => text.startsWith('-') && !HARMLESS_OPTIONS.has(nameOf(text))),
      ...nodeArguments.map(nameOf).filter((name) => REVEALING_OPTION.test(name)),
    ];
    if (isInspected) return fail('a debugger can connect to this process');
    if (harmful.length > 0) return fail(`Node runs with ${[...new Set(harmful)].join(' ')}`);
    if ((env['NODE_DEBUG'] ?? '') !== '')
      return fail(`NODE_DEBUG is set: Node prints requests with their headers`);
    return pass('none');
  },
};

const coreDumps: Interlock = {
  id: 'core_dumps',
  severity: 'hard',
  modes: REAL,
  reads: 'machine',
  requires: 'a crash writes no core dump, which would hold the secret',
  mend: 'ulimit -c 0 in the shell that starts it; LimitCORE=0 in a systemd unit; --ulimit core=0 for docker run',
  judge({ machine: { coreDumpLimit } }) {
    if (coreDumpLimit === undefined)
      return fail('the limit of core dumps cannot be read (/proc/self/limits)');
    return coreDumpLimit === '0'
      ? pass('the limit is 0')
      : fail(`the limit of core dumps is ${coreDumpLimit}`);
  },
};

const rootUser: Interlock = {
  id: 'root_user',
  severity: 'soft',
  modes: REAL,
  reads: 'machine',
  requires: 'the bot runs as a user of its own, not as root',
  mend: 'create a user for the bot and start it as that user (useradd --system sluice)',
  judge: ({ machine: { userId } }) =>
    userId === 0
      ? fail('the bot runs as root')
      : pass(userId === undefined ? 'no users here' : `user ${userId}`),
};

export const PROCESS_INTERLOCKS: readonly Interlock[] = [debuggerInterlock, coreDumps, rootUser];
