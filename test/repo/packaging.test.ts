import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = new URL('../../', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const UNITS = ['sluice', 'sluice-supervisor'] as const;
const hasSystemd = spawnSync('systemd-analyze', ['security', '--help']).status === 0;
/** Exposure of `systemd-analyze security`, in tenths: 0 is the best, 100 the worst. */
const MAX_EXPOSURE = '20';

describe('the systemd units', () => {
  it.skipIf(!hasSystemd)(
    'pass systemd-analyze verify, and are hardened (skipped without systemd)',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-units-'));
      try {
        const files = [...UNITS, 'sluice-ledger'].map((unit) => {
          const file = join(folder, `${unit}@bot.service`);
          const text = read(`ops/systemd/${unit}@.service`);
          // The paths of an installation do not exist here.
          writeFileSync(
            file,
            text.replace('/usr/bin/node /opt/sluice', `${process.execPath} ${ROOT}`),
          );
          return file;
        });
        const verify = spawnSync('systemd-analyze', ['verify', '--man=no', ...files]);
        expect(verify.status, verify.stderr.toString()).toBe(0);
        for (const file of files) {
          const args = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, file];
          const security = spawnSync('systemd-analyze', args);
          expect(security.status, security.stdout.toString()).toBe(0);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it('write the ledger of each day by a timer that makes up for missed ones', () => {
    expect(read('ops/systemd/sluice-ledger@.timer')).toMatch(/^Persistent=true$/m);
    expect(read('ops/systemd/sluice-ledger@.service')).toMatch(/export ledger .* --archive$/m);
  });

  it('and the image give the daemon the memory settings that the soak measures', () => {
    const settings = /MALLOC_ARENA_MAX=2$/m;
    expect(read('ops/systemd/sluice@.service')).toMatch(settings);
    expect(read('Dockerfile')).toMatch(settings);
    expect(read('test/longrun/proofs/soak.mjs')).toContain("MALLOC_ARENA_MAX: '2'");
  });

  it('restart after a failure, but not after an exit that needs a person', () => {
    for (const unit of UNITS) {
      const text = read(`ops/systemd/${unit}@.service`);
      expect(text).toMatch(/^RestartPreventExitStatus=2 3 4$/m);
      expect(text).toMatch(/^LoadCredential=api-secret:/m);
      expect(text).not.toMatch(/^MemoryDenyWriteExecute/m);
    }
  });
});

describe('the compose file', () => {
  interface Service {
    readonly command: readonly string[];
    readonly read_only: boolean;
    readonly cap_drop: readonly string[];
    readonly stop_grace_period?: string;
    readonly healthcheck?: { readonly disable: boolean };
  }
  const { services } = parse(read('ops/compose.yaml'), { merge: true }) as {
    services: Record<'daemon' | 'supervisor', Service>;
  };

  it('runs a daemon and a supervisor on one configuration, hardened', () => {
    expect(services.daemon.command).toEqual(['run', '--config', '/etc/sluice/bot.yaml']);
    expect(services.supervisor.command).toEqual(['supervise', '--config', '/etc/sluice/bot.yaml']);
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true });
      expect(service).toMatchObject({ security_opt: ['no-new-privileges:true'] });
    }
    expect(services.daemon.stop_grace_period).toBe('40s');
    expect(services.supervisor.healthcheck).toEqual({ disable: true });
  });
});

describe('the image', () => {
  it('runs unprivileged, stops by SIGTERM, and is healthy by its candles', () => {
    const text = read('Dockerfile');
    expect(text).toMatch(/^USER node$/m);
    expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(text).toMatch(/^HEALTHCHECK .*CMD \["node", "bin\/sluice.mjs", "health"\]$/m);
    expect(text).not.toMatch(/^EXPOSE/m);
  });
});
