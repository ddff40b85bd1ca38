import { describe, expect, it } from 'vitest';
import {
  hasEnded,
  killSettingFromText,
  killSettingText,
  readKillFile,
  strongerSetting,
  type KillSetting,
} from './kill-file.js';

const EIGHT = Date.UTC(2025, 4, 5, 8);

describe('the KILL file', () => {
  it.each<[text: string, setting: KillSetting]>([
    ['', { level: 'cancel' }],
    ['\n', { level: 'cancel' }],
    ['pause', { level: 'pause' }],
    ['  FLATTEN \nby hand\n', { level: 'flatten' }],
    ['cancel\n', { level: 'cancel' }],
    ['flaten\n', { level: 'cancel' }],
    ['pause until 2025-05-05T08:00:00Z', { level: 'pause', until: EIGHT }],
    ['pause until soon', { level: 'pause' }],
    ['flatten until 2025-05-05T08:00:00Z', { level: 'flatten' }],
  ])('%j means %j', (text, setting) => {
    expect(killSettingFromText(text)).toEqual(setting);
  });

  it.each<KillSetting>([
    { level: 'pause', until: EIGHT },
    { level: 'cancel' },
    { level: 'flatten' },
  ])('%j reads as it was written', (setting) => {
    expect(killSettingFromText(killSettingText(setting))).toEqual(setting);
  });

  it('a file that may not be read means cancel, and a disk that fails is reported', async () => {
    const failing = (code: string) => ({
      read: () => Promise.reject(Object.assign(new Error(code), { code })),
    });
    expect(await readKillFile(failing('EACCES'), '/state')).toEqual({ level: 'cancel' });
    expect(await readKillFile(failing('EISDIR'), '/state')).toEqual({ level: 'cancel' });
    await expect(readKillFile(failing('EIO'), '/state')).rejects.toThrow('EIO');
    expect(
      await readKillFile({ read: () => Promise.resolve(undefined) }, '/state'),
    ).toBeUndefined();
  });

  it('a later level strengthens the one that stands and never weakens it', () => {
    const levels = ['pause', 'cancel', 'flatten'] as const;
    for (const [standing, a] of levels.entries()) {
      for (const [asked, b] of levels.entries()) {
        const stronger = levels[Math.max(standing, asked)];
        expect(strongerSetting({ level: a }, { level: b })).toEqual({ level: stronger });
      }
    }
    expect(strongerSetting(undefined, { level: 'pause', until: 1 })).toEqual({
      level: 'pause',
      until: 1,
    });
    expect(strongerSetting({ level: 'pause', until: 1 }, { level: 'pause' })).toEqual({
      level: 'pause',
    });
  });

  it('a pause ends at its time, and no other setting ends by itself', () => {
    const pause: KillSetting = { level: 'pause', until: EIGHT };
    expect([EIGHT - 1, EIGHT, EIGHT + 1].map((at) => hasEnded(pause, at))).toEqual([
      false,
      true,
      true,
    ]);
    expect(hasEnded({ level: 'cancel' }, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
