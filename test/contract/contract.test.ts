import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_CASES, numberingFaults } from './all-cases.js';
import type { Case } from './case-registry.js';
import { createClientDriver, type ClientDriver } from './client/driver.js';
import { serveTarget } from './in-process.js';
import { Suite } from './suite.js';

const WHOLE = ALL_CASES.filter((test) => !test.long);

function runCases(suite: () => Suite, cases: readonly Case[]): void {
  it.each(cases.map((test) => [test.id, test.title, test] as const))(
    '%s %s',
    async (_id, _title, test) => {
      const result = await suite().run(test);
      if (result.kind === 'failed') throw result.error;
      // A sandbox with control paths can run every case: a skip would hide a gap.
      expect(result.kind === 'skipped' ? result.reason : 'run').toBe('run');
    },
  );
}

describe('over plain HTTP', () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = new Suite(await serveTarget());
  });
  afterAll(() => suite.close());
  runCases(
    () => suite,
    WHOLE.filter((test) => !test.limits),
  );
});

describe('over plain HTTP, with the limits on', () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = new Suite(await serveTarget({ limits: true }));
  });
  afterAll(() => suite.close());
  runCases(
    () => suite,
    WHOLE.filter((test) => test.limits),
  );
});

describe('through the client library', () => {
  let suite: Suite;
  let driver: ClientDriver | undefined;
  beforeAll(async () => {
    const target = await serveTarget();
    suite = new Suite(target, (plain) => (driver = createClientDriver(target, plain)));
  });
  afterAll(async () => {
    await driver?.close();
    await suite.close();
  });
  runCases(
    () => suite,
    WHOLE.filter((test) => !test.limits),
  );

  it('most requests are sayable in its types', () => {
    const { typed = 0, rawOnly = 0 } = driver?.counts ?? {};
    expect(typed).toBeGreaterThan(4 * rawOnly);
  });
});

describe('the suite itself', () => {
  it('every row has a case, every case a row', () => {
    expect(numberingFaults()).toEqual([]);
  });

  it('the cases import neither side', () => {
    const folder = new URL('./cases/', import.meta.url);
    const files = readdirSync(folder).map((name) => new URL(name, folder));
    for (const file of files) {
      const imports = readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g);
      for (const [, from] of imports) expect(from).toMatch(/^(\.\.?\/[a-z0-9-]+\.js|decimal\.js)$/);
    }
  });
});
