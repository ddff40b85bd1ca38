import { describe, expect, it } from 'vitest';
import { ManualTime } from '../../test/support/fakes/manual-ports.js';
import { MemoryFiles } from '../../test/support/fakes/memory-files.js';
import type { HttpRequest, Net } from '../core/ports.js';
import { expositionText } from './exposition.js';
import { Histogram } from './histogram.js';
import { RequestMeter, SyncMeter } from './meters.js';

const request = (method: HttpRequest['method']): HttpRequest => ({
  method,
  url: 'http://127.0.0.1/',
  headers: {},
  timeoutMs: 1_000,
});

describe('the text of the metrics', () => {
  it('has help, type and values, and escapes labels', () => {
    const samples = [
      { labels: { name: 'a "b"\\\n' }, value: 1.5 },
      { value: Number.POSITIVE_INFINITY },
    ];
    const text = expositionText([{ name: 'x', kind: 'gauge', help: 'A\nB.', samples }]);
    expect(text).toBe('# HELP x A\\nB.\n# TYPE x gauge\nx{name="a \\"b\\"\\\\\\n"} 1.5\nx +Inf\n');
  });

  it('leaves out a metric whose fact is not known', () => {
    expect(expositionText([{ name: 'x', kind: 'gauge', help: 'A.', samples: [] }])).toBe('');
  });
});

describe('a histogram', () => {
  it('counts each value in its bucket and in every larger one', () => {
    const histogram = new Histogram([0.1, 1]);
    for (const value of [0.1, 0.2, 5]) histogram.observe(value);
    expect(
      histogram.samples({ m: 'a' }).map(({ labels, value }) => [labels?.['le'], value]),
    ).toEqual([
      ['0.1', 1],
      ['1', 2],
      ['+Inf', 3],
      [undefined, 5.3],
      [undefined, 3],
    ]);
  });
});

describe('the meters', () => {
  it('count requests by method and status, also those without an answer, and time them', async () => {
    const time = new ManualTime();
    const meter = new RequestMeter(time);
    const statuses = [200, 429, 200];
    const net: Net = {
      request: async () => {
        await time.advance(50);
        const status = statuses.shift();
        if (status === undefined) throw new Error('no answer');
        return { status, headers: {}, body: '' };
      },
      connect: () => {
        throw new Error('unused');
      },
    };
    const measured = meter.measured(net);
    await measured.request(request('GET'));
    await measured.request(request('GET'));
    await measured.request(request('POST'));
    await expect(measured.request(request('POST'))).rejects.toThrow('no answer');
    expect(meter.counts).toEqual([
      { labels: { method: 'GET', status: '200' }, value: 1 },
      { labels: { method: 'GET', status: '429' }, value: 1 },
      { labels: { method: 'POST', status: '200' }, value: 1 },
      { labels: { method: 'POST', status: 'none' }, value: 1 },
    ]);
    expect(meter.rateLimited).toBe(1);
    const sum = meter.durations.find(({ suffix }) => suffix === '_sum');
    expect(sum?.value).toBeCloseTo(0.1);
  });

  it('time the syncs of the journal alone, and count those that fail', async () => {
    const meter = new SyncMeter(new ManualTime());
    const files = new MemoryFiles();
    const measured = meter.measured(files, '/journal.log');
    const journal = await measured.openAppend('/state/journal.log');
    const other = await measured.openAppend('/state/record.log');
    await journal.append(new Uint8Array([1]));
    await journal.sync();
    await other.sync();
    expect(meter.durations.at(-1)).toEqual({ suffix: '_count', labels: {}, value: 1 });
    files.failWith(({ kind }) => (kind === 'sync' ? { code: 'EIO' } : undefined));
    await journal.append(new Uint8Array([2]));
    await expect(journal.sync()).rejects.toThrow('EIO');
    expect(meter.failures).toBe(1);
  });
});
