import { describe, expect, it } from 'vitest';
import { SharedCompilation } from './shared-compilation.js';

function threads(...names: readonly string[]) {
  const compilation = new SharedCompilation();
  const heard: string[] = [];
  const who = Object.fromEntries(names.map((name) => [name, { name }]));
  const of = (name: string): object => who[name] as object;
  for (const name of names) compilation.began(of(name));
  return {
    heard,
    made: (source: string, code: string) => {
      compilation.made(source, code);
    },
    ask: (name: string, source: string) => {
      compilation.ask(of(name), source, (code) => heard.push(`${name}: ${code ?? 'do it'}`));
    },
    ended: (name: string) => {
      compilation.ended(of(name));
    },
  };
}

describe('what threads compile', () => {
  it('is compiled by the first that asks, and given to those who waited and who come later', () => {
    const { ask, made, heard } = threads('one', 'two', 'three');
    ask('one', 'a');
    ask('two', 'a');
    expect(heard).toEqual(['one: do it']);
    made('a', 'A');
    ask('three', 'a');
    expect(heard).toEqual(['one: do it', 'two: A', 'three: A']);
  });

  it('is one text for each source', () => {
    const { ask, made, heard } = threads('one', 'two');
    ask('one', 'a');
    made('a', 'A');
    ask('two', 'b');
    expect(heard).toEqual(['one: do it', 'two: do it']);
  });

  it('is compiled by the next who waits when the one that was to do it ends', () => {
    const { ask, made, ended, heard } = threads('one', 'two', 'three');
    for (const name of ['one', 'two', 'three']) ask(name, 'a');
    ended('one');
    expect(heard).toEqual(['one: do it', 'two: do it']);
    made('a', 'A');
    expect(heard.at(-1)).toBe('three: A');
  });

  it('is not asked of one that has ended while it waited', () => {
    const { ask, ended, heard } = threads('one', 'two', 'three');
    for (const name of ['one', 'two', 'three']) ask(name, 'a');
    ended('two');
    ended('one');
    expect(heard).toEqual(['one: do it', 'three: do it']);
  });

  it('is compiled anew where nobody waited for the one that ended', () => {
    const { ask, ended, heard } = threads('one', 'two');
    ask('one', 'a');
    ended('one');
    ask('two', 'a');
    expect(heard).toEqual(['one: do it', 'two: do it']);
  });

  it('is forgotten when all have loaded', () => {
    const { ask, made, ended, heard } = threads('one');
    ask('one', 'a');
    made('a', 'A');
    ended('one');
    ended('one');
    ask('one', 'a');
    expect(heard).toEqual(['one: do it', 'one: do it']);
  });
});
