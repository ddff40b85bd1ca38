// Invariants of every moment of a disaster, read from the venue's own books four times a second.
const EVERY_MS = 250;

/**
 * @param {{ venue: object, maxNotional: number, maxOrders: number, guarded: string[] }} options
 *   `guarded`: symbols whose positions have a stop by configuration
 */
export function watchLimits({ venue, maxNotional, maxOrders, guarded }) {
  const watch = { highest: 0, mostOpen: 0, nakedMs: 0, breaches: [] };
  const nakedSince = new Map();
  const breach = (text) => {
    if (watch.breaches.length < 10 && !watch.breaches.includes(text)) watch.breaches.push(text);
  };
  const look = async () => {
    const at = performance.now();
    const state = await venue.state();
    for (const { symbol, notional } of state.positions) {
      watch.highest = Math.max(watch.highest, notional);
      if (notional > maxNotional * 1.01)
        breach(`position of ${symbol} is worth ${notional.toFixed(0)} USDT, above ${maxNotional}`);
    }
    watch.mostOpen = Math.max(watch.mostOpen, state.open.length);
    if (state.open.length > maxOrders)
      breach(`${state.open.length} orders are open, above ${maxOrders}`);
    for (const symbol of guarded) {
      if (state.quantity(symbol) === 0 || state.hasStop(symbol)) nakedSince.delete(symbol);
      else {
        if (!nakedSince.has(symbol)) nakedSince.set(symbol, at);
        watch.nakedMs = Math.max(watch.nakedMs, at - nakedSince.get(symbol));
      }
    }
  };
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      await look().catch((error) => breach(`the venue's books cannot be read: ${error.message}`));
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  })();
  watch.stop = () => {
    stopped = true;
    return done;
  };
  return watch;
}
