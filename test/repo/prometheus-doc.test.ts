import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { METRICS } from '../../src/metrics/metric-table.js';

const at = (path: string): string => new URL(`../../${path}`, import.meta.url).pathname;
const read = (path: string): string => readFileSync(at(path), 'utf8');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}
const rules = (
  parse(read('ops/prometheus/alerts.yaml')) as { groups: { rules: AlertRule[] }[] }
).groups.flatMap((group) => group.rules);

/** Names of metrics in a text, without the endings of a histogram. */
const namesIn = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(/\b(?:sluice|process)_[a-z_0-9]+/g)].map(([name]) =>
      name.replace(/_bucket$/, ''),
    ),
  ),
];
const KNOWN = new Set(METRICS.map(({ name }) => name));

describe('the documented metrics', () => {
  it('are those of the code', async () => {
    const rows = METRICS.map(
      ({ name, kind, labels, help }) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ') || '–'} | ${help} |`,
    );
    const table = ['| metric | kind | labels | meaning |', '| --- | --- | --- | --- |', ...rows];
    const [before = '', rest = ''] = read('docs/prometheus.md').split(
      '<!-- generated: metrics -->',
    );
    const [, after = ''] = rest.split('<!-- end -->');
    const text = `${before}<!-- generated: metrics -->\n\n${table.join('\n')}\n\n<!-- end -->${after}`;
    const options = await resolveConfig(at('docs/prometheus.md'));
    const expected = await format(text, { ...options, parser: 'markdown' });
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(at('docs/prometheus.md'), expected);
    expect(read('docs/prometheus.md')).toBe(expected);
  });

  it('have names of the field, and none has a label for an order', () => {
    expect(KNOWN.size).toBe(METRICS.length);
    for (const { name, kind, labels, help } of METRICS) {
      expect(name).toMatch(/^(?:sluice|process)_[a-z][a-z0-9_]*$/);
      expect(name.endsWith('_total'), name).toBe(kind === 'counter');
      expect(help, name).toMatch(/\.$/);
      for (const label of labels) expect(label).not.toMatch(/order|intent|client|id$/);
    }
  });
});

describe('the alert rules', () => {
  it('read metrics that exist, and each has its section in operations.md', () => {
    const operations = read('docs/operations.md');
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, expr, labels } of rules) {
      for (const name of namesIn(expr)) expect(KNOWN, alert).toContain(name);
      expect(['page', 'warning'], alert).toContain(labels.severity);
      expect(operations, alert).toContain(`### ${alert}\n`);
    }
    const sections = [...operations.matchAll(/^### (Sluice\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
  });

  it.skipIf(!hasPromtool)('pass promtool, with their tests (skipped without promtool)', () => {
    for (const args of [
      ['check', 'rules', at('ops/prometheus/alerts.yaml')],
      ['test', 'rules', at('ops/prometheus/alerts.test.yaml')],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args);
      expect(status, `${stdout.toString()}${stderr.toString()}`).toBe(0);
    }
  });
});

describe('the dashboard', () => {
  it('reads metrics that exist, and its panels have ids of their own', () => {
    const text = read('ops/grafana/sluice.json');
    const { panels } = JSON.parse(text) as { panels: { id: number }[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const name of namesIn(text)) expect(KNOWN).toContain(name);
  });
});
