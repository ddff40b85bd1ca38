/** The text format of Prometheus, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type MetricKind = 'counter' | 'gauge' | 'histogram';

/** One value of a metric. `suffix`: `_bucket`, `_sum` or `_count` of a histogram. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

export interface MetricFamily {
  readonly name: string;
  readonly kind: MetricKind;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** A family without a sample is left out: a missing fact is no zero. */
export const expositionText = (families: readonly MetricFamily[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(familyText)
    .join('');

const familyText = ({ name, kind, help, samples }: MetricFamily): string =>
  [
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', String.raw`\n`)}`,
    `# TYPE ${name} ${kind}`,
    ...samples.map((sample) => sampleText(name, sample)),
    '',
  ].join('\n');

const sampleText = (name: string, { labels = {}, value, suffix }: Sample): string => {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  const set = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return `${name}${suffix ?? ''}${set} ${valueText(value)}`;
};

const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
