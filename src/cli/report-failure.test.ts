import { expect, test } from 'vitest';
import { AssertionError } from '../core/assert.js';
import { TransportError } from '../core/ports.js';
import { LogWriteError } from '../io/log/log-write-error.js';
import { JournalRecordError } from '../execution/journal/journal-record-error.js';
import { LogCorruptError } from '../io/log/log-contents.js';
import { StateHeldError } from '../io/log/state-held-error.js';
import { CandleFileError } from '../market/candles/candle-csv.js';
import { PortInUseError } from '../sandbox/http/port-in-use-error.js';
import { SandboxOptionError } from '../sandbox/sandbox-clock.js';
import { StrategyLoadError } from '../strategy/loader/load-error.js';
import { StrategyParamsError } from '../strategy/contract/params-error.js';
import { VenueUrlError } from '../venue/futures-api/http/url.js';
import { VenueError } from '../venue/venue.js';
import { ConfigError, SafetyRefusal, StartError, UsageError } from '../core/command-errors.js';
import { reportFailure } from './report-failure.js';

const refused = new Error('connect ECONNREFUSED 127.0.0.1:1');
const full = Object.assign(new Error('ENOSPC: no space left'), {
  code: 'ENOSPC',
  syscall: 'write',
});

test.each([
  [new ConfigError(['a.yaml:1:1 x', 'a.yaml:2:2 y']), 2, 'sluice: a.yaml:1:1 x\na.yaml:2:2 y\n'],
  [new UsageError('use it so'), 2, 'sluice: use it so\n'],
  [new StrategyLoadError('no strategy x'), 2, 'sluice: no strategy x\n'],
  [new StateHeldError('process 7 owns it', 7), 3, 'sluice: process 7 owns it\n'],
  [new SafetyRefusal('mode: live is refused'), 4, 'sluice: mode: live is refused\n'],
  [new StartError('port in use'), 1, 'sluice: port in use\n'],
  [
    new VenueError('assets', { cause: refused }),
    1,
    `sluice: the venue: assets: ${refused.message}\n`,
  ],
  [new TransportError('no answer', { sent: true }), 1, 'sluice: the network: no answer\n'],
  [full, 1, 'sluice: the system: the disk is full: free some space (ENOSPC: no space left)\n'],
  [
    new LogWriteError('/s/journal.log', full),
    1,
    /^sluice: the journal cannot be written: the disk is full: free some space \(\/s\/journal\.log .*start again with the same state_dir/,
  ],
  [
    new LogCorruptError({ path: '/s/journal.log', record: 3, offset: 90, reason: 'a flipped bit' }),
    4,
    /^sluice: the journal cannot be trusted: \/s\/journal\.log is damaged at record 3, offset 90: a flipped bit\. Nothing was changed\. Restore /,
  ],
  [
    new JournalRecordError('Journal record of version 9; this version reads 1'),
    4,
    /^sluice: Journal record of version 9; this version reads 1\. Nothing was changed: run the version/,
  ],
  [new VenueUrlError('base_url is refused'), 2, 'sluice: base_url is refused\n'],
  [new CandleFileError('a.csv:3: high'), 2, 'sluice: a.csv:3: high\n'],
  [new SandboxOptionError('clock "x"'), 2, 'sluice: clock "x"\n'],
  [
    new StrategyParamsError('mine', [{ path: ['fast'], message: 'too small' }]),
    2,
    'sluice: Parameters of mine:\n  fast: too small\n',
  ],
  [new PortInUseError('port 80 is in use'), 1, 'sluice: port 80 is in use\n'],
  [
    new AssertionError('A is B'),
    1,
    /^sluice: stopped, because .* was seen: A is B\. This is a fault of sluice/,
  ],
  [
    new TypeError('x is not a function'),
    1,
    'sluice: unexpected: TypeError: x is not a function (SLUICE_DEBUG=1 shows where)\n',
  ],
  ['thrown text', 1, 'sluice: unexpected: thrown text (SLUICE_DEBUG=1 shows where)\n'],
])('%o ends with its exit code and one message', (error, exitCode, text) => {
  const report = reportFailure(error, false);
  expect(report.exitCode).toBe(exitCode);
  expect(report.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  expect(report.text).not.toContain('    at ');
});

test('debug mode prints stacks, including those of causes', () => {
  const { text } = reportFailure(new VenueError('assets', { cause: refused }), true);
  expect(text).toContain('report-failure.test');
  expect(text).toContain('caused by Error: connect ECONNREFUSED');
});
