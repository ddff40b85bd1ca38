// Preloaded into the daemon (`node --import`): its wall clock and the resolution of names obey a file of
// JSON, `{"resolves":false,"clock_ms":86400000}`. `mode: sandbox` takes no names, so that a connection
// fails here as that to a name does: before it is made. Sockets, disk and signals are the machine's own.
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const path = process.env.SLUICE_DISASTER_MACHINE;
const READ_EVERY_MS = 50;
const USUAL = { resolves: true, clock_ms: 0 };
let machine = USUAL;

function read() {
  try {
    machine = { ...USUAL, ...JSON.parse(readFileSync(path, 'utf8')) };
  } catch {
    // Half written: the next read has the whole.
  }
}

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  if (machine.resolves) return connect.apply(this, args);
  const error = new Error('getaddrinfo ENOTFOUND api.example.com');
  Object.assign(error, { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo' });
  process.nextTick(() => this.destroy(error));
  return this;
};

const utcMs = Date.now.bind(Date);
Date.now = () => utcMs() + machine.clock_ms;

if (path !== undefined) {
  read();
  setInterval(read, READ_EVERY_MS).unref();
}
