import { describe, expect, it } from 'vitest';
import { rig, scripted, target } from '../../../test/harness/strategy-rig.js';
import type { HostWatch } from './strategy-host.js';

describe('the watch of a host', () => {
  it('hears of each candle, of what is asked for on it, and of its end', () => {
    const heard: string[] = [];
    const watch: HostWatch = {
      candle: (host, { seen, live, started }) =>
        void heard.push(`${host.state} candle ${seen} ${live} ${started}`),
      asked: (intent) => void heard.push(`asked ${intent.kind}`),
      done: (host) => void heard.push(`done ${host.counts.decisions}`),
    };
    const { definition, script } = scripted();
    const { close, host } = rig(definition, { watch });
    script.push(target(1), target(1));
    close(100, 'TESTUSDT', false);
    close(100);
    host.stop();
    close(100);
    expect(heard).toEqual([
      'running candle 1 false true',
      'done 0',
      'running candle 2 true true',
      'asked target',
      'done 1',
      'stopped candle 3 true true',
    ]);
  });
});

describe('what a strategy explains', () => {
  it('goes with the decisions of its event, the last word and no other event', () => {
    const { definition, script } = scripted();
    const { close, settle, world } = rig(definition);
    script.push((context) => {
      context.explain('first thought');
      context.target(1);
      context.explain('crossed above');
    }, target(-1));
    close(100);
    settle();
    close(100);
    const words = world.intents.map(({ explanation }) => explanation);
    expect(words[0]).toBe('crossed above');
    expect(words.slice(1).every((word) => word === undefined)).toBe(true);
    expect(words.length).toBeGreaterThan(1);
  });

  it('is cut where it is endless, because it goes into the journal', () => {
    const { definition, script } = scripted();
    const { close, world } = rig(definition);
    script.push((context) => {
      context.explain('x'.repeat(10_000));
      context.target(1);
    });
    close(100);
    expect(world.intents[0]?.explanation).toHaveLength(500);
  });
});
