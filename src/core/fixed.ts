/** The one number of the account side: its forms, texts and arithmetic. */
export * from './fixed-form.js';
export * from './fixed-text.js';
export * from './fixed-arithmetic.js';
export { divideHalfEvenBig } from './half-even.js';
