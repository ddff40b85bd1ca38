/** The fixed-point number of prices, quantities and money: its forms, texts and arithmetic. */
export * from './fixed-point.js';
export * from './fixed-text.js';
export * from './fixed-arithmetic.js';
export { divideHalfEvenBig } from './half-even.js';
export { ProductSum } from './product-sum.js';
export { multiplyDivide } from './two-words.js';
