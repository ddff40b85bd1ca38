import { createRequire } from 'node:module';
import type { Document, LineCounter, Node, Pair } from 'yaml';
import { ConfigError } from '../core/command-errors.js';

const require = createRequire(import.meta.url);
let loaded: typeof import('yaml') | undefined;

/** Loads with the first file: a command without a configuration does not wait for its eighty modules. */
function yaml(): typeof import('yaml') {
  loaded ??= require('yaml') as typeof import('yaml');
  return loaded;
}

export type YamlPath = readonly (string | number)[];

/** Larger than any real configuration, small enough to parse at once. */
export const MAX_BYTES = 256 * 1024;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** 1-based. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A problem at a position of the file. */
export interface YamlProblem extends SourcePosition {
  readonly text: string;
}

/** A parsed YAML file with the position of each value. */
export interface YamlSource {
  /**
   * Plain data without prototypes. Numbers keep the text of the file, so that `0.10` and twenty digits
   * lose nothing; the schema converts them.
   */
  readonly tree: unknown;
  /** The value at the path with numbers as numbers; undefined when there is none. */
  native(path: YamlPath): unknown;
  /** Position of the value or its key; of the nearest parent when the path does not exist. */
  positionOf(path: YamlPath, part?: 'value' | 'key'): SourcePosition;
  /** The position as `file:line:column`. */
  locate(path: YamlPath): string;
}

/** @throws ConfigError with every problem of the text */
export function readYaml(file: string, bytes: Uint8Array): YamlSource {
  if (bytes.length > MAX_BYTES) {
    const what = `the file has ${bytes.length} bytes; the limit is ${MAX_BYTES}`;
    throw new ConfigError([`${file}: ${what}`]);
  }
  const lines = new (yaml().LineCounter)();
  const document = parse(file, decode(file, bytes), lines);
  const at = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problems = syntaxProblems(document, at);
  const reader = new TreeReader(at);
  const tree = reader.value(document.contents, 'text');
  throwProblems(file, [...problems, ...reader.problems]);
  const positionOf = (path: YamlPath, part: 'value' | 'key' = 'value'): SourcePosition =>
    at(offsetOf(document, path, part));
  return {
    tree,
    native: (path) =>
      document.hasIn(path)
        ? new TreeReader(at).value(document.getIn(path, true), 'number')
        : undefined,
    positionOf,
    locate: (path) => locationText(file, positionOf(path)),
  };
}

/** A file that is not a configuration would have thousands. */
const MAX_PROBLEMS = 25;

/** @throws ConfigError with the problems in file order, if there are any */
export function throwProblems(file: string, problems: readonly YamlProblem[]): void {
  if (problems.length === 0) return;
  const ordered = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const shown = ordered
    .slice(0, MAX_PROBLEMS)
    .map((problem) => `${locationText(file, problem)} ${problem.text}`);
  const rest = ordered.length - shown.length;
  throw new ConfigError(rest === 0 ? shown : [...shown, `${file}: and ${rest} more`]);
}

const locationText = (file: string, { line, column }: SourcePosition): string =>
  `${file}:${line}:${column}`;

function decode(file: string, bytes: Uint8Array): string {
  if (bytes.includes(0)) throw new ConfigError([`${file}: the file is binary, not YAML text`]);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigError([`${file}: the file is not UTF-8 text`], { cause });
  }
}

function parse(file: string, text: string, lineCounter: LineCounter): Document {
  try {
    return yaml().parseDocument(text, {
      lineCounter,
      schema: 'core',
      merge: false,
      uniqueKeys: true,
      prettyErrors: false,
    });
  } catch (cause) {
    // The parser is recursive: ten thousand levels overflow its stack.
    if (!(cause instanceof RangeError)) throw cause;
    throw new ConfigError([`${file}: the YAML is nested too deep to read`], { cause });
  }
}

function syntaxProblems(document: Document, at: (offset: number) => SourcePosition): YamlProblem[] {
  const errors = [...document.errors, ...document.warnings];
  const tooDeep = errors.find(({ message }) => message.includes('call stack'));
  if (tooDeep !== undefined) return [{ ...at(tooDeep.pos[0]), text: 'is nested too deep to read' }];
  return errors.map((error) => ({
    ...at(error.pos[0]),
    text: syntaxText(error.code, error.message),
  }));
}

function syntaxText(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key is given twice; keep one';
  if (code === 'MULTIPLE_DOCS') return 'the file holds several YAML documents; keep one';
  return `is not valid YAML: ${message}`;
}

class TreeReader {
  readonly problems: YamlProblem[] = [];
  readonly #at: (offset: number) => SourcePosition;
  constructor(at: (offset: number) => SourcePosition) {
    this.#at = at;
  }

  value(node: unknown, numbers: 'text' | 'number'): unknown {
    if (yaml().isAlias(node))
      return this.#problem(node, 'aliases (*name) are not supported; write the value out');
    if (yaml().isMap(node)) return this.#map(node.items, numbers);
    if (yaml().isSeq(node)) return node.items.map((item) => this.value(item, numbers));
    if (!yaml().isScalar(node)) return null;
    const { value, source } = node;
    return typeof value === 'number' && numbers === 'text' ? (source ?? String(value)) : value;
  }

  #map(items: readonly Pair[], numbers: 'text' | 'number'): Record<string, unknown> {
    const map = Object.create(null) as Record<string, unknown>;
    for (const { key, value } of items) {
      const name = keyText(key);
      if (name === undefined) this.#problem(key, 'a key must be plain text');
      else if (FORBIDDEN_KEYS.has(name)) this.#problem(key, `"${name}" cannot be a key`);
      else map[name] = this.value(value, numbers);
    }
    return map;
  }

  #problem(node: unknown, text: string): undefined {
    this.problems.push({ ...this.#at(startOf(node)), text });
    return undefined;
  }
}

function keyText(key: unknown): string | undefined {
  if (!yaml().isScalar(key) || key.value === null) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);
const isNode = (node: unknown): node is Node =>
  yaml().isScalar(node) || yaml().isCollection(node) || yaml().isAlias(node);

/** The offset of a scalar itself, but of the key of a list or map, where the reader looks first. */
function offsetOf(document: Document, path: YamlPath, part: 'value' | 'key'): number {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const step of path) {
    const pair = pairOf(node, step);
    const child: unknown = pair === undefined ? itemOf(node, step) : pair.value;
    if (pair === undefined && child === undefined) return offset;
    const key = startOf(pair === undefined ? child : pair.key);
    offset =
      part === 'value' && yaml().isScalar(child) && child.value !== null ? startOf(child) : key;
    node = child;
  }
  return offset;
}

const pairOf = (node: unknown, key: string | number): Pair | undefined =>
  yaml().isMap(node) ? node.items.find((pair) => keyText(pair.key) === String(key)) : undefined;

const itemOf = (node: unknown, index: string | number): unknown =>
  yaml().isSeq(node) ? node.items[Number(index)] : undefined;
