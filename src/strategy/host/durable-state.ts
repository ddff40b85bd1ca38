import type { StateDefinition } from '../contract/definition.js';
import type { PersistedState, StrategyPort } from '../contract/strategy-port.js';

/** UTF-16 units of JSON: the journal stores the whole state at each change. */
export const STATE_LIMIT = 65_536;

export interface DurableStateOptions {
  readonly definition: StateDefinition<object>;
  /** Symbol of the instance, or `*` for an instance of all symbols. */
  readonly key: string;
  readonly port: Pick<StrategyPort, 'persisted'>;
}

/** State that an event has changed, for the journal. */
export interface StateWrite extends PersistedState {
  readonly key: string;
}

/** The durable state of one instance, as the host sees it after a hook. */
export interface DurableStateHandle {
  /** Reason why the persisted state cannot be used; undefined: it can. */
  readonly fault: string | undefined;
  /** @returns the change of the hook, if any. @throws RangeError for state that JSON cannot hold */
  commit(): StateWrite | undefined;
  /** Restores the last committed state. */
  rollback(): void;
}

/**
 * The durable state of one instance: a plain object that hooks change in place. A hook's changes are
 * committed when it has returned, and rolled back when it threw, or handled history.
 */
export class DurableState implements DurableStateHandle {
  readonly key: string;
  readonly #version: number;
  readonly #value: object;
  /** JSON of the last committed state. */
  #text: string;
  /** The persisted state was migrated: it is written anew with the first event. */
  #needsRewrite: boolean;
  /** Values of these two before the last commit. */
  #before: { readonly text: string; readonly isNew: boolean };
  readonly fault: string | undefined;

  constructor({ definition, key, port }: DurableStateOptions) {
    this.key = key;
    this.#version = definition.version;
    const persisted = port.persisted(key);
    const read =
      persisted === undefined
        ? { value: definition.initial() }
        : parsePersisted(persisted, definition);
    this.fault = 'fault' in read ? read.fault : undefined;
    this.#value = 'fault' in read ? definition.initial() : read.value;
    this.#needsRewrite = persisted !== undefined && persisted.version !== definition.version;
    this.#text = textOf(this.#value);
    this.#before = { text: this.#text, isNew: this.#needsRewrite };
  }

  /** Always the same object. */
  get value(): object {
    return this.#value;
  }

  /**
   * Called after a hook. @returns its change, if any
   * @throws RangeError for state that JSON cannot hold, or too much of it; the change is rolled back
   */
  commit(): StateWrite | undefined {
    let text: string;
    try {
      text = textOf(this.#value);
    } catch (error) {
      this.rollback();
      throw error;
    }
    if (text === this.#text && !this.#needsRewrite) return undefined;
    this.#before = { text: this.#text, isNew: this.#needsRewrite };
    this.#needsRewrite = false;
    this.#text = text;
    return { key: this.key, version: this.#version, value: text };
  }

  /** Undoes the last commit. */
  revertCommit(): void {
    this.#text = this.#before.text;
    this.#needsRewrite = this.#before.isNew;
    this.rollback();
  }

  rollback(): void {
    const value = this.#value as Record<string, unknown>;
    const before = JSON.parse(this.#text) as Record<string, unknown>;
    for (const key of Object.keys(value)) if (!Object.hasOwn(before, key)) delete value[key];
    Object.assign(value, before);
  }
}

/** The state of one instance, or none. @param key its symbol; absent: the instance has all symbols */
export function durableStatesOf(
  { state }: { readonly state?: StateDefinition<unknown> },
  { port }: { readonly port: DurableStateOptions['port'] },
  key = STATE_OF_ALL,
): readonly DurableState[] {
  if (state === undefined) return [];
  return [new DurableState({ definition: state as StateDefinition<object>, key, port })];
}

const STATE_OF_ALL = '*';

type ParsedState = { readonly value: object } | { readonly fault: string };

function parsePersisted(
  persisted: PersistedState,
  definition: StateDefinition<object>,
): ParsedState {
  const { version, schema } = definition;
  const versions = `it was kept as version ${persisted.version}, and this file's is ${version}`;
  let value = JSON.parse(persisted.value) as object;
  if (persisted.version !== version) {
    if (definition.migrate === undefined)
      return {
        fault: `${versions}: give state a migrate(old, from), or the strategy another id to begin anew`,
      };
    try {
      value = definition.migrate(value, persisted.version);
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

/** JSON would convert these values silently. */
function plain(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`state.${key} is ${value}, which JSON cannot keep`);
  const strange = value instanceof Map || value instanceof Set || typeof value === 'function';
  if (strange) throw new RangeError(`state.${key} is no plain value: JSON cannot keep it`);
  return value;
}
