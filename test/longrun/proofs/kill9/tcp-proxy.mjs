// A wire between the daemon and the sandbox that tells what passes, and can hold it. What the daemon
// has sent is delivered also when the daemon is dead by then: the network does not know.
import { connect, createServer } from 'node:net';

const REQUEST_LINE = /^(POST|DELETE|GET|PATCH) (\/\S*)/;

/** @returns {'place' | 'cancel' | 'read' | undefined} what a piece of a connection begins */
function kindOf(chunk) {
  const [, method, path = ''] = REQUEST_LINE.exec(chunk.toString('latin1', 0, 200)) ?? [];
  if (method === 'POST' && path.startsWith('/fapi/v2/futures/order')) return 'place';
  if (method === 'DELETE') return 'cancel';
  return method === undefined ? undefined : 'read';
}

/**
 * @param {number} target port of the sandbox on loopback
 * @returns its own port; `moveTo(number)`, from which address the next connections come; `watch`, set from outside: `onRequest(kind)` answers how many ms to hold it,
 *   `onAnswer(kind)` whether to withhold it for ever; `goDown()` and `comeUp()`: while it is down no answer
 *   comes and no connection stands, and what was sent before is at the venue
 */
export async function openProxy(target) {
  let localAddress = '127.0.0.1';
  const clients = new Set();
  const proxy = {
    watch: undefined,
    port: 0,
    isDown: false,
    goDown() {
      proxy.isDown = true;
      for (const client of clients) client.destroy();
    },
    comeUp: () => (proxy.isDown = false),
    moveTo: (number) => (localAddress = addressOf(number)),
    close: () => server.close(),
  };
  const server = createServer((client) => {
    if (proxy.isDown) {
      client.destroy();
      return;
    }
    clients.add(client);
    client.once('close', () => clients.delete(client));
    join(proxy, client, connect({ port: target, host: '127.0.0.1', localAddress }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = server.address().port;
  return proxy;
}

/**
 * The venue counts connections and public requests by address, ten and 300 a minute: a machine that is
 * killed every three seconds is beyond that whatever it does. Where loopback has many addresses, each
 * life has its own. What it counts by key, which is all that trades, stays counted.
 */
const addressOf = (number) =>
  process.platform === 'linux' ? `127.0.${1 + (number >> 7)}.${1 + (number & 127)}` : '127.0.0.1';

function join(tap, client, venue) {
  let kind;
  let queue = Promise.resolve();
  let withheld = false;
  client.setNoDelay(true);
  venue.setNoDelay(true);
  client.on('data', (chunk) => {
    kind = kindOf(chunk) ?? kind;
    const holdMs = kindOf(chunk) === undefined ? 0 : (tap.watch?.onRequest?.(kind) ?? 0);
    queue = queue.then(async () => {
      if (holdMs > 0) await new Promise((resolve) => setTimeout(resolve, holdMs));
      if (venue.writable) venue.write(chunk);
      if (holdMs >= 0) tap.watch?.onDelivered?.(kind);
    });
  });
  venue.on('data', (chunk) => {
    withheld ||= tap.watch?.onAnswer?.(kind) === true;
    if (withheld || !client.writable) return;
    client.write(chunk);
    tap.watch?.onPassed?.(kind);
  });
  client.on('close', () => queue.then(() => venue.end()));
  venue.on('close', () => client.destroy());
  for (const socket of [client, venue]) socket.on('error', () => undefined);
}
