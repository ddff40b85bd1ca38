/**
 * What decides or is hashed uses + − × ÷ and sqrt only: the results of the others may differ in the
 * last bit between machines and Node versions, and Intl's texts do.
 */
const EXACT = new Set(
  ['abs', 'ceil', 'floor', 'round', 'trunc', 'sign', 'min', 'max', 'sqrt', 'imul', 'fround']
    .concat(['clz32'])
    // Constants are given to the last bit by the language.
    .concat(['E', 'LN2', 'LN10', 'LOG2E', 'LOG10E', 'PI', 'SQRT1_2', 'SQRT2'])
    // Chance is the other rule's business.
    .concat(['random']),
);
const LOCAL_TEXT = new Set([
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleTimeString',
  'localeCompare',
]);

/** @type {import('eslint').Rule.RuleModule} */
export default {
  meta: {
    type: 'problem',
    docs: { description: 'decisions use + − × ÷ sqrt only' },
    messages: {
      inexact: '{{what}} may differ between machines: what decides or is hashed uses + − × ÷ sqrt.',
    },
    schema: [],
  },
  create(context) {
    const report = (node, what) => context.report({ node, messageId: 'inexact', data: { what } });
    return {
      MemberExpression(node) {
        const property = node.computed ? node.property.value : node.property.name;
        if (node.object.name === 'Math' && (node.computed || !EXACT.has(property))) {
          report(node, `Math.${property ?? '[…]'}`);
        }
        if (node.object.name === 'Intl') report(node, 'Intl');
        if (LOCAL_TEXT.has(property)) report(node, property);
      },
      'BinaryExpression[operator="**"]'(node) {
        if (!isConstantPower(node)) report(node, '**');
      },
      'AssignmentExpression[operator="**="]'(node) {
        report(node, '**=');
      },
      'VariableDeclarator[init.name="Math"]'(node) {
        report(node, 'taking functions out of Math');
      },
    };
  },
};

/** Two whole literals: exact in every implementation that keeps to 53 bits. BigInt powers are exact. */
const isConstantPower = ({ left, right }) =>
  [left, right].every(
    (side) =>
      side.type === 'Literal' && (Number.isInteger(side.value) || typeof side.value === 'bigint'),
  );
