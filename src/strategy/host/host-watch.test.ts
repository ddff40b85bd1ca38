import { describe, expect, it } from 'vitest';
import { rig, scripted, target } from '../../../test/support/rigs/strategy-rig.js';
import type { HostObserver } from './strategy-host.js';

describe('the observer of a host', () => {
  it('the observer gets each candle, its intents, and its end', () => {
    const received: string[] = [];
    const observer: HostObserver = {
      onCandle: (host, { candleCount, isLive, isStarted }) =>
        void received.push(`${host.state} candle ${candleCount} ${isLive} ${isStarted}`),
      onIntent: (intent) => void received.push(`asked ${intent.kind}`),
      onCandleHandled: (host) => void received.push(`done ${host.counts.decisions}`),
    };
    const { definition, script } = scripted();
    const { close, host } = rig(definition, { observer });
    script.push(target(1), target(1));
    close(100, 'TESTUSDT', false);
    close(100);
    host.stop();
    close(100);
    expect(received).toEqual([
      'running candle 1 false true',
      'done 0',
      'running candle 2 true true',
      'asked target',
      'done 1',
      'stopped candle 3 true true',
    ]);
  });
});

describe('an explanation of a strategy', () => {
  it('the last explanation of an event is part of its decisions, and of no other event’s', () => {
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

  it('an explanation is cut to 500 characters, because the journal stores it', () => {
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
