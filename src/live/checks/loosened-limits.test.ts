import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { configFromYaml, type SluiceConfig } from '../../config/config.js';
import { AcceptedLimits } from '../state/accepted-limits.js';
import {
  checkLoosenedLimits,
  compareLimits,
  looserThanPreset,
  recordStartedLimits,
} from './loosened-limits.js';

const FOLDER = '/state';

function configOf(risk: string, mode = 'sandbox'): SluiceConfig {
  const live = { http: 'https://venue.example', ws: 'wss://venue.example' };
  const local = { http: 'http://127.0.0.1:1', ws: 'ws://127.0.0.1:1' };
  const host = mode === 'live' ? live : local;
  const text = `mode: ${mode}
account: bot
venue: { base_url: '${host.http}', ws_url: '${host.ws}', api_secret_file: s }
strategies:
  - { id: a, use: sma-cross, symbols: [BTCUSDT], size: { notional: '100' } }
risk: { symbols_allow: [BTCUSDT], ${risk} }
`;
  return configFromYaml('bot.yaml', new TextEncoder().encode(text));
}

let files: MemoryFiles;
beforeEach(() => {
  files = new MemoryFiles();
});

/** A start that trades; the text of its refusal, or nothing. */
async function start(config: SluiceConfig): Promise<string> {
  try {
    await checkLoosenedLimits(config, FOLDER, files);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  await recordStartedLimits(config, FOLDER, files);
  return '';
}

const accept = async (config: SluiceConfig): Promise<void> => {
  const folder = new AcceptedLimits(files, FOLDER);
  const { record } = await compareLimits(config, folder);
  await folder.accept(record, 'key');
};

describe('a start with changed limits', () => {
  it('the first start needs no acceptance', async () => {
    expect(await start(configOf('max_leverage: 20'))).toBe('');
  });

  it('tighter limits need none, and the way back does', async () => {
    await start(configOf('max_leverage: 3'));
    expect(await start(configOf('max_leverage: 2'))).toBe('');
    expect(await start(configOf('max_leverage: 3'))).toBe(
      'the limits allow more than those of the last start (R44), and no acceptance covers them:\n' +
        '  bot.yaml:6:49 max_leverage from 2 x to 3 x\n' +
        'Accept them with: sluice risk accept bot.yaml',
    );
  });

  it('a removed key that falls back to a looser preset is refused', async () => {
    await start(configOf('max_leverage: 2'));
    expect(await start(configOf('preset: standard'))).toContain('max_leverage from 2 x to 3 x');
  });

  it('a preset that enforces nothing is refused', async () => {
    await start(configOf('preset: standard'));
    expect(await start(configOf('preset: research'))).toContain('preset from standard to research');
  });

  it('every loosened limit is listed', async () => {
    await start(configOf('max_leverage: 2, loss_streak: { losses: 3, pause_ms: 1000 }'));
    const refusal = await start(configOf('max_leverage: 4, loss_streak: off'));
    expect(refusal).toContain('max_leverage from 2 x to 4 x');
    expect(refusal).toContain('loss_streak.losses from 3 events to none');
  });

  it('a default that a new version has loosened needs no acceptance', async () => {
    await start(configOf('preset: standard'));
    const path = `${FOLDER}/risk-limits.json`;
    const text = new TextDecoder().decode(await files.read(path));
    const older = text
      .replace('"max_drawdown_pct": "15"', '"max_drawdown_pct": "10"')
      .replace(/ *"volatility_halt": "8",\n/, '');
    expect(older).not.toBe(text);
    await files.replace(path, new TextEncoder().encode(older));
    expect(await start(configOf('preset: standard'))).toBe('');
  });

  it('accepted limits start, once', async () => {
    const [tight, loose] = [configOf('max_leverage: 2'), configOf('max_leverage: 5')];
    await start(tight);
    await accept(loose);
    expect(await start(loose)).toBe('');
    expect(await start(loose)).toBe('');
    expect(await start(tight)).toBe('');
    expect(await start(loose)).toContain('max_leverage from 2 x to 5 x');
  });

  it('an acceptance covers tighter limits than the accepted ones, and no looser ones', async () => {
    await start(configOf('max_leverage: 2'));
    await accept(configOf('max_leverage: 5'));
    expect(await start(configOf('max_leverage: 6'))).toContain('max_leverage from 2 x to 6 x');
    expect(await start(configOf('max_leverage: 4'))).toBe('');
  });

  it('an acceptance that was changed by hand, or that another folder signed, is none', async () => {
    await start(configOf('max_leverage: 2'));
    await accept(configOf('max_leverage: 5'));
    const path = `${FOLDER}/risk-accepted.json`;
    const text = new TextDecoder().decode(await files.read(path));
    const changed = text.replace('"max_leverage": "5"', '"max_leverage": "9"');
    await files.replace(path, new TextEncoder().encode(changed));
    expect(await start(configOf('max_leverage: 9'))).toContain('max_leverage from 2 x to 9 x');
    await files.replace(path, new TextEncoder().encode(text));
    await files.replace(`${FOLDER}/risk.key`, new TextEncoder().encode('another'));
    expect(await start(configOf('max_leverage: 5'))).toContain('max_leverage from 2 x to 5 x');
  });

  it('a damaged file refuses the start instead of forgetting the limits', async () => {
    await start(configOf('max_leverage: 2'));
    await files.replace(`${FOLDER}/risk-limits.json`, new TextEncoder().encode('{'));
    expect(await start(configOf('max_leverage: 2'))).toContain(
      '/state/risk-limits.json cannot be read',
    );
  });

  it('in live the first start is compared with the preset', async () => {
    const live = configOf('preset: cautious, max_leverage: 3', 'live');
    expect(await start(live)).toContain('max_leverage from 2 x to 3 x');
    await accept(live);
    expect(await start(live)).toBe('');
  });
});

it('each limit that is looser than the preset is told with both values', () => {
  const config = configOf('max_leverage: 5, currencies_allow: [USDT, INR], max_drawdown_pct: 10');
  expect(looserThanPreset(config)).toEqual([
    'risk.max_leverage 5 x (bot.yaml:6:49) is looser than 3 x of preset standard',
  ]);
});
