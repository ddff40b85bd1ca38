import { describe, expect, it } from 'vitest';
import { SharedCompilation } from './shared-compilation.js';

function threads(...names: readonly string[]) {
  const compilation = new SharedCompilation();
  const received: string[] = [];
  const who = Object.fromEntries(names.map((name) => [name, { name }]));
  const of = (name: string): object => who[name] as object;
  for (const name of names) compilation.startLoading(of(name));
  return {
    heard: received,
    made: (source: string, code: string) => {
      compilation.complete(source, code);
    },
    ask: (name: string, source: string) => {
      compilation.request(of(name), source, (code) => received.push(`${name}: ${code ?? 'do it'}`));
    },
    ended: (name: string) => {
      compilation.finishLoading(of(name));
    },
  };
}

describe('a module that several threads need', () => {
  it('the first thread compiles a module, and waiting and later threads receive it', () => {
    const { ask, made, heard } = threads('one', 'two', 'three');
    ask('one', 'a');
    ask('two', 'a');
    expect(heard).toEqual(['one: do it']);
    made('a', 'A');
    ask('three', 'a');
    expect(heard).toEqual(['one: do it', 'two: A', 'three: A']);
  });

  it('each source has a text of its own', () => {
    const { ask, made, heard } = threads('one', 'two');
    ask('one', 'a');
    made('a', 'A');
    ask('two', 'b');
    expect(heard).toEqual(['one: do it', 'two: do it']);
  });

  it('the next waiting thread compiles a module when its compiling thread ends', () => {
    const { ask, made, ended, heard } = threads('one', 'two', 'three');
    for (const name of ['one', 'two', 'three']) ask(name, 'a');
    ended('one');
    expect(heard).toEqual(['one: do it', 'two: do it']);
    made('a', 'A');
    expect(heard.at(-1)).toBe('three: A');
  });

  it('a thread that ended while waiting is not asked to compile', () => {
    const { ask, ended, heard } = threads('one', 'two', 'three');
    for (const name of ['one', 'two', 'three']) ask(name, 'a');
    ended('two');
    ended('one');
    expect(heard).toEqual(['one: do it', 'three: do it']);
  });

  it('a module is compiled anew where no thread waited for the ended one', () => {
    const { ask, ended, heard } = threads('one', 'two');
    ask('one', 'a');
    ended('one');
    ask('two', 'a');
    expect(heard).toEqual(['one: do it', 'two: do it']);
  });

  it('the modules are dropped when all threads have loaded', () => {
    const { ask, made, ended, heard } = threads('one');
    ask('one', 'a');
    made('a', 'A');
    ended('one');
    ended('one');
    ask('one', 'a');
    expect(heard).toEqual(['one: do it', 'one: do it']);
  });
});
