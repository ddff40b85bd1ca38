import { failure, type RouteReply, type SandboxRequest } from '../http/http-message.js';

/** Longest host name; error messages cut longer texts here. */
const MAX_HOST_LENGTH = 253;
const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/**
 * Refusal of a request to a control path; undefined when it is allowed. A web page can reach loopback in
 * three ways, and each is closed: by a host name of its own (Host), by a request to our name (Origin),
 * and by a form, which needs no permission but cannot send application/json. A request without
 * `controlHosts` comes from this process and is always allowed.
 */
export function controlRejection(request: SandboxRequest): RouteReply | undefined {
  const { controlHosts, headers, body } = request;
  if (controlHosts === undefined) return undefined;
  const host = headers['host'] ?? '';
  if (!isAllowed(host, controlHosts)) return wrongHost(nameOf(host));
  const origin = headers['origin'];
  if (origin !== undefined && !isSameOrigin(origin, host)) return wrongOrigin(origin);
  return body === '' || JSON_TYPE.test(headers['content-type'] ?? '') ? undefined : WRONG_TYPE;
}

function isAllowed(host: string, controlHosts: readonly string[]): boolean {
  const name = nameOf(host);
  return LOOPBACK_NAME.test(name) || controlHosts.some((each) => nameOf(each) === name);
}

/** Host of `Name:port`, `[::1]:port` or a bare IPv6 address: lower case, without the port. */
function nameOf(host: string): string {
  const text = host.trim().toLowerCase();
  if (!text.startsWith('[') && text.split(':').length > 2) return `[${text}]`;
  return text.replace(/:\d*$/, '');
}

/** Whether the origin has the same name and port as the request, so the page is the sandbox's own. */
const isSameOrigin = (origin: string, host: string): boolean =>
  origin.toLowerCase() === `http://${host.trim().toLowerCase()}`;

function wrongHost(name: string): RouteReply {
  const shown = shortened(name);
  return failure(
    403,
    `control paths refuse the host name ${JSON.stringify(shown)}, so that no web page can control ` +
      `the sandbox: call 127.0.0.1 or localhost, or start the sandbox with --allow-host ${shown === '' ? 'NAME' : shown}`,
  );
}

const wrongOrigin = (origin: string): RouteReply =>
  failure(
    403,
    `control paths refuse requests of the web page ${JSON.stringify(shortened(origin))}: ` +
      'call them from a program, without an Origin header',
  );

const WRONG_TYPE = failure(
  415,
  'control paths take only JSON, so that no web page can control the sandbox: ' +
    'send the header Content-Type: application/json (curl: -H "Content-Type: application/json")',
);

const shortened = (text: string): string => text.slice(0, MAX_HOST_LENGTH);
