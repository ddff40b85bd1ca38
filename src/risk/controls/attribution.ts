import { breach, type Control } from '../control.js';

/**
 * R22: nothing is put on where exposure stands that no order of ours explains. An order by hand is a
 * person's own word; reductions pass, since they only take risk off.
 */
export const attribution: Control = {
  id: 'R22',
  key: 'unattributed_exposure',
  clock: 'none',
  judge({ exit, halted, intent }) {
    if (halted === undefined || exit || intent.cause.kind === 'operator') return undefined;
    const { symbol } = intent.terms;
    return breach(
      () => `${symbol} is halted: ${halted}`,
      () => ({ symbol, cause: halted }),
    );
  },
};
