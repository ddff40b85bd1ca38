/**
 * Time, chance, timers, files, sockets and the environment come in through the ports of
 * src/core/ports.ts. Only the files that implement the ports (ambient-allow-list.json) may touch the
 * real ones: otherwise a simulation or a replay would not be deterministic.
 */
const GLOBALS = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'WebSocket',
  'XMLHttpRequest',
  'EventSource',
]);

/** Objects and which of their properties are ambient. */
const MEMBERS = {
  Date: new Set(['now']),
  Math: new Set(['random']),
  performance: new Set(['now', 'timeOrigin', 'timerify']),
  AbortSignal: new Set(['timeout']),
  process: new Set(
    [
      'env',
      'argv',
      'pid',
      'cwd',
      'hrtime',
      'uptime',
      'nextTick',
      'exit',
      'kill',
      'on',
      'once',
    ].concat(['stdin', 'stdout', 'stderr']),
  ),
  crypto: new Set(['randomUUID', 'getRandomValues']),
};

const MODULES = new Set(
  ['fs', 'fs/promises', 'http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'dns/promises']
    .concat(['child_process', 'cluster', 'worker_threads', 'timers', 'timers/promises'])
    .concat(['perf_hooks', 'process', 'os']),
);
const RANDOM_EXPORTS = new Set([
  'randomUUID',
  'randomBytes',
  'randomInt',
  'getRandomValues',
  'webcrypto',
]);

const MESSAGE =
  '{{what}} is ambient: take it from a port of src/core/ports.ts (files that implement the ports are in eslint-rules/ambient-allow-list.json).';

/** @type {import('eslint').Rule.RuleModule} */
export default {
  meta: {
    type: 'problem',
    docs: { description: 'time, chance, timers, files and sockets come through ports' },
    messages: { ambient: MESSAGE },
    schema: [
      {
        type: 'object',
        properties: { allow: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
      },
    ],
  },
  create(context) {
    const allow = context.options[0]?.allow ?? [];
    const file = context.filename.replaceAll('\\', '/');
    if (allow.some((path) => file === path || file.endsWith(`/${path}`))) return {};
    const report = (node, what) => context.report({ node, messageId: 'ambient', data: { what } });
    const isGlobal = (node) => isUnshadowed(context.sourceCode, node);

    return {
      ImportDeclaration(node) {
        if (node.importKind === 'type') return;
        checkModule(node, node.source.value, namesOf(node.specifiers, 'imported'), report);
      },
      ExportNamedDeclaration(node) {
        if (node.source === null || node.exportKind === 'type') return;
        checkModule(node, node.source.value, namesOf(node.specifiers, 'local'), report);
      },
      ExportAllDeclaration(node) {
        checkModule(node, node.source.value, undefined, report);
      },
      ImportExpression(node) {
        if (node.source.type === 'Literal') checkModule(node, node.source.value, undefined, report);
      },
      NewExpression(node) {
        const isNow = node.callee.name === 'Date' && node.arguments.length === 0;
        if (isNow && isGlobal(node.callee)) report(node, 'new Date()');
      },
      CallExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'Date') {
          if (isGlobal(node.callee)) report(node, 'Date()');
        }
      },
      Identifier(node) {
        if (GLOBALS.has(node.name) && isReference(node) && isGlobal(node)) report(node, node.name);
      },
      MemberExpression(node) {
        const object = rootName(node.object);
        const property = propertyName(node);
        if (object === undefined || property === undefined) return;
        if (isGlobalObject(object.name) && GLOBALS.has(property)) report(node, property);
        if (MEMBERS[object.name]?.has(property) && isGlobal(object.node)) {
          report(node, `${object.name}.${property}`);
        }
      },
      'VariableDeclarator[id.type="ObjectPattern"]'(node) {
        const object = node.init === null ? undefined : rootName(node.init);
        if (object === undefined || !isGlobal(object.node)) return;
        for (const { key } of node.id.properties) {
          const taken = MEMBERS[object.name]?.has(key?.name);
          if (taken || (isGlobalObject(object.name) && GLOBALS.has(key?.name))) {
            report(node, `${object.name}.${key.name}`);
          }
        }
      },
    };
  },
};

function checkModule(node, source, names, report) {
  const name = String(source).replace(/^node:/, '');
  if (MODULES.has(name)) report(node, `"${source}"`);
  if (name !== 'crypto') return;
  if (names === undefined) report(node, `all of "${source}"`);
  for (const taken of names ?? []) {
    if (taken === '*' || taken === 'default' || RANDOM_EXPORTS.has(taken)) {
      report(node, `${taken} of "${source}"`);
    }
  }
}

/** Type-only specifiers leave nothing at run time. */
const namesOf = (specifiers, side) =>
  specifiers
    .filter((specifier) => specifier.importKind !== 'type' && specifier.exportKind !== 'type')
    .map((specifier) => {
      if (specifier.type === 'ImportNamespaceSpecifier') return '*';
      if (specifier.type === 'ImportDefaultSpecifier') return 'default';
      return specifier[side].name ?? specifier[side].value;
    });

const isGlobalObject = (name) => name === 'globalThis' || name === 'global' || name === 'window';

/** `Date` of `Date`, and of `globalThis.Date`. */
function rootName(node) {
  if (node.type === 'Identifier') return { name: node.name, node };
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return undefined;
  if (!isGlobalObject(node.object.name)) return undefined;
  const name = propertyName(node);
  return name === undefined ? undefined : { name, node: node.object };
}

function propertyName(node) {
  if (!node.computed) return node.property.name;
  return node.property.type === 'Literal' ? String(node.property.value) : undefined;
}

/** An identifier that reads a variable: not a property, a key, or a name in a type. */
function isReference(node) {
  const { parent } = node;
  if (parent.type === 'MemberExpression') return parent.object === node || parent.computed;
  if (parent.type === 'Property')
    return parent.value === node && parent.parent.type !== 'ObjectPattern';
  return !/^(TS(?!AsExpression|NonNull|Satisfies)|MethodDefinition|PropertyDefinition|Import|Export)/.test(
    parent.type,
  );
}

/** Not a parameter or variable of the file that has the same name. */
function isUnshadowed(sourceCode, node) {
  for (let scope = sourceCode.getScope(node); scope !== null; scope = scope.upper) {
    const variable = scope.set.get(node.name);
    if (variable !== undefined) return variable.defs.length === 0;
  }
  return true;
}
