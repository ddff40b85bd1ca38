import type { StateDefinition } from '../definition.js';
import type { KeptState, StrategyWorld } from '../world.js';

/** UTF-16 units of JSON: it goes into the journal whole, whenever it changes. */
export const STATE_LIMIT = 65_536;

export interface StateCellOptions {
  readonly definition: StateDefinition<object>;
  /** Of the instance: its symbol, or `*` for one that has them all. */
  readonly key: string;
  readonly world: Pick<StrategyWorld, 'kept'>;
}

/** What a step has changed, for the journal. */
export interface StateWrite extends KeptState {
  readonly key: string;
}

/** The durable state of one instance, as the host treats it when a hook is over. */
export interface KeptCell {
  /** Why what was kept cannot be used; undefined: it can. */
  readonly fault: string | undefined;
  /** @returns what the hook changed, if anything. @throws RangeError for what cannot be kept */
  take(): StateWrite | undefined;
  /** Back to what was taken last. */
  undo(): void;
}

/**
 * The durable state of one instance: a plain object that hooks change in place. What a hook did to it is
 * taken whole when the hook has returned, and undone when it threw, or was shown history.
 */
export class StateCell implements KeptCell {
  readonly key: string;
  readonly #version: number;
  readonly #value: object;
  /** As it was taken last. */
  #text: string;
  /** It was kept in another shape: it is written anew with the first step. */
  #isNew: boolean;
  /** As these two were before it was taken last. */
  #before: { readonly text: string; readonly isNew: boolean };
  readonly fault: string | undefined;

  constructor({ definition, key, world }: StateCellOptions) {
    this.key = key;
    this.#version = definition.version;
    const kept = world.kept(key);
    const read = kept === undefined ? { value: definition.initial() } : readKept(kept, definition);
    this.fault = 'fault' in read ? read.fault : undefined;
    this.#value = 'fault' in read ? definition.initial() : read.value;
    this.#isNew = kept !== undefined && kept.version !== definition.version;
    this.#text = textOf(this.#value);
    this.#before = { text: this.#text, isNew: this.#isNew };
  }

  /** The same object always. */
  get value(): object {
    return this.#value;
  }

  /**
   * After a hook. @returns what it changed, if anything
   * @throws RangeError for what JSON cannot keep, or too much of it; the change is undone
   */
  take(): StateWrite | undefined {
    let text: string;
    try {
      text = textOf(this.#value);
    } catch (error) {
      this.undo();
      throw error;
    }
    if (text === this.#text && !this.#isNew) return undefined;
    this.#before = { text: this.#text, isNew: this.#isNew };
    this.#isNew = false;
    this.#text = text;
    return { key: this.key, version: this.#version, value: text };
  }

  /** What was taken last shall not count. */
  untake(): void {
    this.#text = this.#before.text;
    this.#isNew = this.#before.isNew;
    this.undo();
  }

  undo(): void {
    const value = this.#value as Record<string, unknown>;
    const before = JSON.parse(this.#text) as Record<string, unknown>;
    for (const key of Object.keys(value)) if (!Object.hasOwn(before, key)) delete value[key];
    Object.assign(value, before);
  }
}

/** The cell of one instance, or none. `key`: the symbol of one that has no other. */
export function cellsOf(
  { state }: { readonly state?: StateDefinition<unknown> },
  { world }: { readonly world: StateCellOptions['world'] },
  key = STATE_OF_ALL,
): readonly StateCell[] {
  if (state === undefined) return [];
  return [new StateCell({ definition: state as StateDefinition<object>, key, world })];
}

const STATE_OF_ALL = '*';

type Read = { readonly value: object } | { readonly fault: string };

function readKept(kept: KeptState, definition: StateDefinition<object>): Read {
  const { version, schema } = definition;
  const versions = `it was kept as version ${kept.version}, and this file's is ${version}`;
  let value = JSON.parse(kept.value) as object;
  if (kept.version !== version) {
    if (definition.migrate === undefined)
      return {
        fault: `${versions}: give state a migrate(old, from), or the strategy another id to begin anew`,
      };
    try {
      value = definition.migrate(value, kept.version);
    } catch (error) {
      return { fault: `${versions}, and its migrate threw ${String(error)}` };
    }
  }
  if (schema === undefined) return { value };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const place = ['state', ...(issue?.path ?? [])].join('.');
  return {
    fault: `${versions}, and it does not fit its schema: ${place}: ${issue?.message ?? ''}`,
  };
}

/** @throws RangeError */
function textOf(value: object): string {
  const text = JSON.stringify(value, plain);
  if (text.length <= STATE_LIMIT) return text;
  throw new RangeError(
    `its state is ${text.length} characters of JSON, more than ${STATE_LIMIT}: keep less in it`,
  );
}

/** JSON would turn these into something else without a word. */
function plain(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`state.${key} is ${value}, which JSON cannot keep`);
  const strange = value instanceof Map || value instanceof Set || typeof value === 'function';
  if (strange) throw new RangeError(`state.${key} is no plain value: JSON cannot keep it`);
  return value;
}
