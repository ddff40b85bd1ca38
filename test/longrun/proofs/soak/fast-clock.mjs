// Loaded before a process and each of its threads as `fast-clock.mjs?rate=10&from=MS`: its clocks run so many times as fast
// from that time on (ms since 1970), and its timers end that much earlier. Polls, candles and reports keep their proportions.
const { searchParams } = new URL(import.meta.url);
const rate = Number(searchParams.get('rate'));
const from = Number(searchParams.get('from'));
const realNow = Date.now;
const realMonotonic = performance.now.bind(performance);
const now = () => Math.floor(from + (realNow() - from) * rate);

globalThis.Date = class extends Date {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }
  static now = now;
};
performance.now = () => realMonotonic() * rate;

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  globalThis[name] = Object.assign(
    (run, delayMs = 0, ...values) => real(run, delayMs / rate, ...values),
    real,
  );
}
