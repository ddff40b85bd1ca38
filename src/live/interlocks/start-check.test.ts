import { describe, expect, it } from 'vitest';
import { configFromYaml, type SluiceConfig } from '../../config/config.js';
import type { RunMode } from '../../config/config-schema.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import { EXIT } from '../../core/exit-code.js';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { BTC } from '../../../test/support/builders/risk-case.js';
import type { DifferenceKind } from '../plan/difference.js';
import { INTERLOCKS } from './interlock-table.js';
import { checkInterlocks, interlocksOf, refuseStart, refusing } from './start-check.js';
import type { MachineFacts, StartFacts, VenueFacts } from './start-facts.js';

const TEXT = `mode: live
account: main
live: { acknowledgement: real money on main }
venue:
  base_url: https://api.example.com
  ws_url: wss://stream.example.com
  api_secret_file: /secrets/live
state_dir: /var/lib/sluice
strategies:
  - id: btc-cross
    use: sma-cross
    symbols: [BTCUSDT]
    leverage: 2
    size: { notional: '250' }
    protect: { stop_loss_pct: 2 }
risk: { preset: standard, symbols_allow: [BTCUSDT] }
`;

const configOf = (edit = (text: string): string => text): SluiceConfig =>
  configFromYaml('bot.yaml', new TextEncoder().encode(edit(TEXT)));

const MACHINE: MachineFacts = {
  nodeArguments: ['--max-old-space-size=512'],
  env: { NODE_OPTIONS: '--max-old-space-size=512' },
  isInspected: false,
  userId: 1_000,
  coreDumpLimit: '0',
  disk: { value: { fileSystem: 'ext4', freeBytes: 256 * 1_048_576 } },
  secret: {
    file: {
      path: '/secrets/live',
      access: { value: { kind: 'file', owner: 1_000, permissions: 0o600 } },
    },
    isInEnvironment: false,
    isInArguments: false,
    isInConfig: false,
  },
  addresses: new Map([
    ['api.example.com', { value: ['93.184.216.34', '2606:2800:220:1::1'] }],
    ['stream.example.com', { value: ['93.184.216.35'] }],
  ]),
  state: {
    header: { type: 'header', venueTime: 1, account: 'main', venue: 'https://api.example.com' },
    differences: [],
    adoptedLeverage: new Set(),
  },
};

const MINUTE = 60_000;
const NEEDED_FROM = Date.UTC(2026, 0, 1);
const VENUE: VenueFacts = {
  skewMs: { value: -2_000 },
  account: { value: null },
  fingerprint: { value: 'same-key' },
  instruments: { value: [BTC] },
  positions: { value: [] },
  leverage: new Map([['BTCUSDT', { value: fixedFromText<'ratio'>('2') }]]),
  candles: new Map([
    [
      'BTCUSDT',
      { value: { newestAgeMs: 3 * MINUTE, neededFrom: NEEDED_FROM, oldestOpen: NEEDED_FROM } },
    ],
  ]),
};

interface Trip {
  readonly config?: (text: string) => string;
  readonly machine?: Partial<MachineFacts>;
  readonly venue?: Partial<VenueFacts>;
}

const factsOf = ({ config, machine, venue }: Trip = {}): StartFacts => ({
  config: configOf(config),
  machine: { ...MACHINE, ...machine },
  venue: { ...VENUE, ...venue },
});

const secret = (change: Partial<MachineFacts['secret']>): Trip => ({
  machine: { secret: { ...MACHINE.secret, ...change } },
});
const secretFile = (access: { kind?: 'file' | 'link'; owner?: number; permissions?: number }) =>
  secret({
    file: {
      path: '/secrets/live',
      access: { value: { kind: 'file', owner: 1_000, permissions: 0o600, ...access } },
    },
  });
const address = (...addresses: readonly string[]): Trip => ({
  machine: {
    addresses: new Map([...MACHINE.addresses, ['api.example.com', { value: addresses }]]),
  },
});
const difference = (kind: DifferenceKind): Trip => ({
  machine: {
    state: {
      ...MACHINE.state,
      differences: [{ kind, symbol: 'BTCUSDT', text: `BTCUSDT is ${kind}` }],
    },
  },
});
const ratio = (text: string) => fixedFromText<'ratio'>(text);
/** A position open at the venue, and the leverage that is set there. */
const openAt = (set: string, adopted: readonly string[] = []): Trip => ({
  machine: { state: { ...MACHINE.state, adoptedLeverage: new Set(adopted) } },
  venue: {
    positions: {
      value: [
        {
          positionId: 'p1',
          symbol: 'BTCUSDT',
          currency: 'USDT',
          side: 'long',
          quantity: fixedFromText('0.01'),
          entryPrice: fixedFromText('60000'),
          leverage: ratio('2'),
          initialMargin: fixedFromText('300'),
          maintenanceMargin: fixedFromText('3'),
        },
      ],
    },
    leverage: settingOf(set),
  },
});
const settingOf = (set: string): VenueFacts['leverage'] =>
  new Map([['BTCUSDT', { value: ratio(set) }]]);
const header = (change: { account?: string; venue?: string; instance?: string }): Trip => ({
  machine: {
    state: {
      ...MACHINE.state,
      header: {
        type: 'header',
        venueTime: 1,
        account: 'main',
        venue: 'https://api.example.com',
        ...change,
      },
    },
  },
});
const candles = (change: object): Trip => ({
  venue: {
    candles: new Map([
      [
        'BTCUSDT',
        {
          value: {
            newestAgeMs: 0,
            neededFrom: NEEDED_FROM,
            oldestOpen: NEEDED_FROM,
            ...change,
          },
        },
      ],
    ]),
  },
});

/** One interlock, tripped alone, with the text and the mend that people read. */
const TRIPS: readonly (readonly [
  id: string,
  what: string,
  trip: Trip,
  found: RegExp,
  mend: RegExp,
])[] = [
  [
    'acknowledgement',
    'none is given',
    { config: (text) => text.replace(/live: \{.*\n/, '') },
    /does not acknowledge/,
    /add to bot\.yaml: live: \{ acknowledgement: real money on main \}/,
  ],
  [
    'acknowledgement',
    'it names another account',
    { config: (text) => text.replace('real money on main', 'real money on other') },
    /says "real money on other", not "real money on main"/,
    /real money on main/,
  ],
  [
    'https',
    'one address has no TLS',
    {
      config: (text) => text.replace('wss://stream.example.com', 'ws://127.0.0.1:1'),
      machine: {
        addresses: new Map([...MACHINE.addresses, ['127.0.0.1', { value: ['8.8.8.8'] }]]),
      },
    },
    /ws:\/\/127\.0\.0\.1:1 has no TLS/,
    /venue\.base_url/,
  ],
  [
    'public_host',
    'one address is private',
    address('93.184.216.34', '10.0.0.7'),
    /api\.example\.com is 10\.0\.0\.7, a private address/,
    /getent ahosts/,
  ],
  [
    'public_host',
    'the address is loopback',
    address('127.0.0.1'),
    /a loopback address/,
    /venue\.base_url/,
  ],
  [
    'public_host',
    'the address is link-local',
    address('fe80::1'),
    /a link-local address/,
    /venue\.base_url/,
  ],
  ['public_host', 'there is no address', address(), /has no address/, /venue\.base_url/],
  [
    'public_host',
    'the name cannot be resolved',
    {
      machine: {
        addresses: new Map([
          ['stream.example.com', { value: ['8.8.8.8'] }],
          ['api.example.com', { fault: 'api.example.com cannot be resolved: ENOTFOUND' }],
        ]),
      },
    },
    /cannot be resolved/,
    /venue\.base_url/,
  ],
  [
    'tls_verification',
    'it is turned off',
    { machine: { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } } },
    /NODE_TLS_REJECT_UNAUTHORIZED is 0/,
    /unset NODE_TLS_REJECT_UNAUTHORIZED/,
  ],
  [
    'extra_authority',
    'one is added',
    { machine: { env: { NODE_EXTRA_CA_CERTS: '/ca.pem' } } },
    /authorities of \/ca\.pem/,
    /unset NODE_EXTRA_CA_CERTS/,
  ],
  [
    'debugger',
    'a debugger can connect',
    { machine: { isInspected: true } },
    /a debugger can connect/,
    /unset NODE_OPTIONS/,
  ],
  [
    'debugger',
    'NODE_OPTIONS opens one',
    { machine: { env: { NODE_OPTIONS: '--max-old-space-size=1 --inspect=9229' } } },
    /Node runs with --inspect/,
    /unset NODE_OPTIONS/,
  ],
  [
    'debugger',
    'other code runs first',
    { machine: { env: { NODE_OPTIONS: '-r ./spy.js' } } },
    /Node runs with -r/,
    /unset NODE_OPTIONS/,
  ],
  [
    'debugger',
    'an argument opens one',
    { machine: { nodeArguments: ['--inspect-brk=0'] } },
    /--inspect-brk/,
    /unset NODE_OPTIONS/,
  ],
  [
    'debugger',
    'memory is written to disk',
    { machine: { nodeArguments: ['--heapsnapshot-signal=SIGUSR2'] } },
    /--heapsnapshot-signal/,
    /unset/,
  ],
  [
    'debugger',
    'requests are printed',
    { machine: { env: { NODE_DEBUG: 'http' } } },
    /NODE_DEBUG is set/,
    /unset NODE_OPTIONS NODE_DEBUG/,
  ],
  [
    'core_dumps',
    'they are unlimited',
    { machine: { coreDumpLimit: 'unlimited' } },
    /is unlimited/,
    /ulimit -c 0/,
  ],
  [
    'core_dumps',
    'the limit cannot be read',
    { machine: { coreDumpLimit: undefined } },
    /cannot be read/,
    /LimitCORE=0/,
  ],
  [
    'root_user',
    'the bot is root',
    {
      machine: {
        userId: 0,
        secret: {
          ...MACHINE.secret,
          file: {
            path: '/secrets/live',
            access: { value: { kind: 'file', owner: 0, permissions: 0o600 } },
          },
        },
      },
    },
    /runs as root/,
    /useradd/,
  ],
  [
    'secret_custody',
    'the file is missing',
    secret({ file: { path: '/secrets/live', access: { value: undefined } } }),
    /there is no file \/secrets\/live/,
    /umask 077; cat > \/secrets\/live/,
  ],
  [
    'secret_custody',
    'others may read it',
    secretFile({ permissions: 0o640 }),
    /has mode 0640/,
    /chmod 600 \/secrets\/live/,
  ],
  [
    'secret_custody',
    'it belongs to another user',
    secretFile({ owner: 7 }),
    /belongs to user 7, and the bot runs as user 1000/,
    /chown 1000/,
  ],
  [
    'secret_custody',
    'it is a link',
    secretFile({ kind: 'link' }),
    /is a symbolic link/,
    /name the file itself/,
  ],
  [
    'secret_custody',
    'it cannot be read',
    secret({ file: { path: '/s', access: { fault: '/s cannot be read: EACCES' } } }),
    /EACCES/,
    /umask 077/,
  ],
  [
    'secret_custody',
    'the command line has it',
    secret({ isInArguments: true }),
    /command line contains the secret/,
    /rotate the key/,
  ],
  [
    'secret_custody',
    'the configuration has it',
    secret({ isInConfig: true }),
    /configuration contains the secret/,
    /rotate the key/,
  ],
  [
    'secret_environment',
    'the variable has it',
    secret({ isInEnvironment: true }),
    /SLUICE_API_SECRET is in the environment/,
    /unset SLUICE_API_SECRET/,
  ],
  [
    'state_disk',
    'it is in memory',
    { machine: { disk: { value: { fileSystem: 'tmpfs', freeBytes: 1e12 } } } },
    /is on tmpfs/,
    /local disk/,
  ],
  [
    'state_disk',
    'it is the layer of a container',
    { machine: { disk: { value: { fileSystem: 'overlay', freeBytes: 1e12 } } } },
    /is on overlay/,
    /mount a volume/,
  ],
  [
    'state_disk',
    'it is on the network',
    { machine: { disk: { value: { fileSystem: 'nfs4', freeBytes: 1e12 } } } },
    /is on nfs4/,
    /local disk/,
  ],
  [
    'disk_space',
    'one byte is missing',
    { machine: { disk: { value: { fileSystem: 'ext4', freeBytes: 256 * 1_048_576 - 1 } } } },
    /255 MiB free/,
    /free space on the disk of \/var\/lib\/sluice/,
  ],
  [
    'separate_state',
    'another account wrote it',
    header({ account: 'other' }),
    /belongs to account other, not main/,
    /a state_dir of its own/,
  ],
  [
    'separate_state',
    'a paper run wrote it',
    header({ venue: 'paper on https://api.example.com' }),
    /was written in mode paper, and this is mode live/,
    /a state_dir of its own/,
  ],
  [
    'separate_state',
    'a run that observes wrote it',
    header({ venue: 'observe on https://api.example.com' }),
    /written in mode observe/,
    /a state_dir of its own/,
  ],
  [
    'separate_state',
    'a sandbox run wrote it',
    header({ instance: 'abc' }),
    /written in mode sandbox/,
    /a state_dir of its own/,
  ],
  [
    'separate_state',
    'it is of another venue',
    header({ venue: 'https://other.example' }),
    /belongs to another venue/,
    /a state_dir of its own/,
  ],
  [
    'kill_switch',
    'it is paused',
    { machine: { state: { ...MACHINE.state, kill: { level: 'pause' } } } },
    /set to pause/,
    /sluice resume \/var\/lib\/sluice/,
  ],
  [
    'orphan',
    'a position has no strategy',
    difference('orphan'),
    /BTCUSDT is orphan/,
    /sluice strategy retire ID/,
  ],
  [
    'renamed_strategy',
    'the id has changed',
    difference('renamed'),
    /BTCUSDT is renamed/,
    /restore the id/,
  ],
  [
    'changed_leverage',
    'the leverage has changed',
    difference('leverage'),
    /BTCUSDT is leverage/,
    /restore the leverage/,
  ],
  [
    'changed_leverage',
    'it was changed at the venue while a position is open',
    openAt('3'),
    /btc-cross: leverage is 2, and that of BTCUSDT is 3 at the venue, with a position open/,
    /to 2 on the venue's page; or write 3 into bot\.yaml, then sluice strategy adopt btc-cross/,
  ],
  [
    'changed_leverage',
    'the positions cannot be read',
    { venue: { positions: { fault: 'The positions cannot be read: HTTP 500' } } },
    /HTTP 500/,
    /restore the leverage/,
  ],
  [
    'api_key',
    'the key is refused',
    { venue: { account: { fault: 'The wallet cannot be read: HTTP 401: Unauthorized' } } },
    /401/,
    /\/secrets\/live/,
  ],
  [
    'account_fingerprint',
    'it is another account',
    { venue: { fingerprint: { value: 'other-account' } } },
    /belongs to another account/,
    /--accept-account/,
  ],
  [
    'account_fingerprint',
    'nothing proves a new key',
    { venue: { fingerprint: { value: 'unproved' } } },
    /the key has changed/,
    /sluice doctor bot\.yaml --accept-account/,
  ],
  [
    'account_fingerprint',
    'the state has none',
    { venue: { fingerprint: { value: 'unlearned' } } },
    /no fingerprint/,
    /--accept-account/,
  ],
  [
    'account_fingerprint',
    'the lists cannot be read',
    { venue: { fingerprint: { fault: 'The transfers cannot be read' } } },
    /cannot be read/,
    /--accept-account/,
  ],
  [
    'clock_skew',
    'the clock is ahead',
    { venue: { skewMs: { value: 2_001 } } },
    /2001 ms from the venue's clock, limit 2000 ms/,
    /timedatectl/,
  ],
  [
    'clock_skew',
    'the clock is behind',
    { venue: { skewMs: { value: -2_001 } } },
    /-2001 ms/,
    /timedatectl/,
  ],
  [
    'clock_skew',
    'the venue gives no time',
    { venue: { skewMs: { fault: 'no Date header' } } },
    /no Date header/,
    /timedatectl/,
  ],
  [
    'instrument_rules',
    'a symbol is not listed',
    { venue: { instruments: { value: [] } } },
    /not listed.*BTCUSDT/,
    /correct the symbols in bot\.yaml/,
  ],
  [
    'leverage',
    'the set one cannot be read',
    { venue: { leverage: new Map([['BTCUSDT', { fault: 'HTTP 500' }]]) } },
    /HTTP 500/,
    /set the leverage/,
  ],
  [
    'leverage',
    'the venue takes less',
    { venue: { instruments: { value: [{ ...BTC, maxLeverage: fixedFromText<'ratio'>('1') }] } } },
    /BTCUSDT takes .* to 1 in steps/,
    /set the leverage/,
  ],
  [
    'fresh_data',
    'the newest candle is old',
    candles({ newestAgeMs: 3 * MINUTE + 1 }),
    /closed 180 s ago/,
    /wait until the venue/,
  ],
  [
    'fresh_data',
    'there is no candle',
    candles({ newestAgeMs: undefined }),
    /no recent candle/,
    /wait until the venue/,
  ],
  [
    'warm_up',
    'the history is too short',
    candles({ oldestOpen: NEEDED_FROM + 4 * MINUTE }),
    /needs candles from 2026-01-01T00:00:00.000Z on, and those of the venue begin at 2026/,
    /shorten the periods/,
  ],
  [
    'warm_up',
    'there is no history',
    candles({ oldestOpen: undefined }),
    /none there/,
    /shorten the periods/,
  ],
];

const failedIn = (facts: StartFacts) =>
  checkInterlocks(facts).filter(({ result }) => result !== 'ok');

describe('the interlocks of a start', () => {
  it('a start with everything in order passes all of them', () => {
    expect(failedIn(factsOf())).toEqual([]);
    expect(() => {
      refuseStart(factsOf(), checkInterlocks(factsOf()));
    }).not.toThrow();
  });

  it.each(TRIPS)('%s alone stops a start when %s', (id, _what, trip, found, mend) => {
    const facts = factsOf(trip);
    const [only, ...others] = failedIn(facts);
    expect(others).toEqual([]);
    expect(only?.id).toBe(id);
    expect(only?.found).toMatch(found);
    expect(only?.mend).toMatch(mend);
    expect(only?.mend).not.toMatch(/CONFIG|STATE_DIR|SECRET_FILE|ACCOUNT/);
    const refuse = (): void => {
      refuseStart(facts, checkInterlocks(facts));
    };
    if (only?.severity === 'soft') {
      expect(refuse).not.toThrow();
      return;
    }
    let thrown: unknown;
    try {
      refuse();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SafetyRefusal);
    expect(thrown).toMatchObject({ exitCode: EXIT.refused });
    expect(String(thrown)).toContain(`${id}: ${only?.found ?? ''}\n    mend: ${only?.mend ?? ''}`);
    expect(String(thrown)).toContain('bot.yaml:1:7 mode: live is refused');
  });

  it('every interlock has a case that trips it, and a stable name of its own', () => {
    const ids = INTERLOCKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...new Set(TRIPS.map(([id]) => id))].sort()).toEqual([...ids].sort());
    for (const id of ids) expect(id).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it('without answers of the venue its interlocks are unchecked, and none of them passes', () => {
    const { config, machine } = factsOf();
    const results = checkInterlocks({ config, machine }, 'not asked, because https failed');
    const venue = INTERLOCKS.filter(({ reads }) => reads === 'venue').map(({ id }) => id);
    const unchecked = results.filter(({ result }) => result === 'unchecked');
    expect(unchecked.map(({ id }) => id)).toEqual(venue);
    for (const { found } of unchecked) expect(found).toBe('not asked, because https failed');
  });

  it('a start that only cancels and closes is held by no interlock of entries', () => {
    const kill = { machine: { state: { ...MACHINE.state, kill: { level: 'flatten' } as const } } };
    const broken: Trip = {
      config: (text) => text.replace(/live: \{.*\n/, ''),
      machine: {
        disk: { value: { fileSystem: 'tmpfs', freeBytes: 0 } },
        state: { ...kill.machine.state, differences: [{ kind: 'orphan', symbol: 'A', text: 'a' }] },
      },
      venue: {
        skewMs: { value: 60_000 },
        instruments: { value: [] },
        candles: new Map(),
        leverage: new Map(),
      },
    };
    const refusedBy = (trip: Trip): readonly string[] =>
      refusing(factsOf(trip), checkInterlocks(factsOf(trip))).map(({ id }) => id);
    expect(refusedBy(broken)).toEqual([]);
    expect(refusedBy({ ...broken, ...address('10.0.0.1') })).toContain('public_host');
    const paused = {
      ...broken.machine,
      state: { ...MACHINE.state, kill: { level: 'pause' } as const },
    };
    expect(refusedBy({ ...broken, machine: paused })).toContain('fresh_data');
  });

  it.each<[RunMode, readonly string[]]>([
    [
      'sandbox',
      [
        'secret_custody',
        'separate_state',
        'kill_switch',
        'api_key',
        'instrument_rules',
        'leverage',
        'fresh_data',
        'warm_up',
      ],
    ],
    ['paper', ['secret_custody', 'separate_state', 'kill_switch', 'fresh_data', 'warm_up']],
  ])('in mode: %s the interlocks of a local run apply', (mode, expected) => {
    expect(interlocksOf(mode).map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    ['the configured one', openAt('2')],
    ['another one without a position', { venue: { leverage: settingOf('3') } }],
    ['another one that a person has accepted for the next start', openAt('3', ['BTCUSDT'])],
  ])('a leverage at the venue trips nothing where it is %s', (_case, trip: Trip) => {
    const results = checkInterlocks(factsOf(trip));
    expect(results.filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  it('a run that observes has the interlocks of a live one, without its consent and decisions', () => {
    const live = interlocksOf('live').map(({ id }) => id);
    const observe = interlocksOf('observe').map(({ id }) => id);
    expect(live.filter((id) => !observe.includes(id))).toEqual([
      'acknowledgement',
      'orphan',
      'renamed_strategy',
      'changed_leverage',
    ]);
    expect(observe.filter((id) => !live.includes(id))).toEqual([]);
  });
});
