import { failure, type RouteReply, type SandboxRequest } from './http-message.js';

/** No longer names of hosts exist; what claims to be one is not repeated in full. */
const LONGEST_NAME = 253;
const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/**
 * Why a control path does not obey this request; undefined when it does. A web page can reach loopback
 * in three ways, each of which is closed: a name of its own that leads here (Host), a request to our
 * name (Origin), and a form, which needs no permission of ours but cannot say application/json.
 * A request that does not come through a server (`controlHosts`) comes from this process, and is obeyed.
 */
export function controlRefusal(request: SandboxRequest): RouteReply | undefined {
  const { controlHosts, headers, body } = request;
  if (controlHosts === undefined) return undefined;
  const host = headers['host'] ?? '';
  if (!isAllowed(host, controlHosts)) return wrongHost(nameOf(host));
  const origin = headers['origin'];
  if (origin !== undefined && !isOwn(origin, host)) return wrongOrigin(origin);
  return body === '' || JSON_TYPE.test(headers['content-type'] ?? '') ? undefined : WRONG_TYPE;
}

function isAllowed(host: string, controlHosts: readonly string[]): boolean {
  const name = nameOf(host);
  return LOOPBACK_NAME.test(name) || controlHosts.some((each) => nameOf(each) === name);
}

/** Of `Name:port`, `[::1]:port` or a bare IPv6 address: lower case, without the port. */
function nameOf(host: string): string {
  const text = host.trim().toLowerCase();
  if (!text.startsWith('[') && text.split(':').length > 2) return `[${text}]`;
  return text.replace(/:\d*$/, '');
}

/** A page that this very sandbox would have served: the same name and port as the request is for. */
const isOwn = (origin: string, host: string): boolean =>
  origin.toLowerCase() === `http://${host.trim().toLowerCase()}`;

function wrongHost(name: string): RouteReply {
  const shown = shortened(name);
  return failure(
    403,
    `the control paths do not answer to the host name ${JSON.stringify(shown)}, so that no web page can steer ` +
      `the sandbox: call 127.0.0.1 or localhost, or start it with --allow-host ${shown === '' ? 'NAME' : shown}`,
  );
}

const wrongOrigin = (origin: string): RouteReply =>
  failure(
    403,
    `the control paths do not obey the web page ${JSON.stringify(shortened(origin))}: ` +
      'call them from a program, without an Origin header',
  );

const WRONG_TYPE = failure(
  415,
  'the control paths take JSON alone, so that no web page can steer the sandbox: ' +
    'send the header Content-Type: application/json (curl: -H "Content-Type: application/json")',
);

const shortened = (text: string): string => text.slice(0, LONGEST_NAME);
