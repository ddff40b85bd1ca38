/**
 * A value of core/fixed.ts has two forms of different scales: only `===` and a comparison with 0 mean the
 * same for both. Arithmetic is refused by the types; this refuses what they let pass.
 */
const ORDERING = new Set(['<', '>', '<=', '>=']);
const CONVERSIONS = new Set(['BigInt', 'Number', 'String']);

const isZero = (node) => node.type === 'Literal' && node.value === 0;

/** @type {import('eslint').Rule.RuleModule} */
export default {
  meta: {
    type: 'problem',
    docs: { description: 'values of core/fixed.ts are compared and converted by its functions' },
    messages: {
      raw: '{{what}} on a value of core/fixed.ts: its two forms have different scales. Use {{use}}.',
    },
    schema: [],
  },
  create(context) {
    const { parserServices } = context.sourceCode;
    const checker = parserServices.program.getTypeChecker();
    const isBranded = (type) =>
      type.isUnion()
        ? type.types.some(isBranded)
        : checker
            .getPropertiesOfType(type)
            .some(({ escapedName }) => String(escapedName).startsWith('__@unit@'));
    const isFixed = (node) => isBranded(parserServices.getTypeAtLocation(node));
    const report = (node, what, use) =>
      context.report({ node, messageId: 'raw', data: { what, use } });
    return {
      BinaryExpression(node) {
        if (!ORDERING.has(node.operator) || isZero(node.left) || isZero(node.right)) return;
        if (isFixed(node.left) || isFixed(node.right)) {
          report(node, `"${node.operator}"`, 'isLess, isMore, isAtMost or isAtLeast');
        }
      },
      'UnaryExpression[operator="-"]'(node) {
        if (isFixed(node.argument)) report(node, '"-"', 'negate');
      },
      CallExpression(node) {
        if (!CONVERSIONS.has(node.callee.name) || !node.arguments.some(isFixed)) return;
        report(node, node.callee.name, 'textFromFixed, numberFromFixed or unitsOf');
      },
      TemplateLiteral(node) {
        for (const each of node.expressions) {
          if (isFixed(each)) report(each, 'A template', 'textFromFixed');
        }
      },
    };
  },
};
