import { TransportError, type HttpRequest, type Net } from '../../core/ports.js';

const PUBLIC = '/fapi/v1/price/';
const ASSETS = '/fapi/v1/futures';

/**
 * Network access of a paper run: market data, and with a key the list of instruments and the detail of one.
 * It rejects every other request, so no order of a paper run can reach a venue.
 */
export const paperNet = (net: Net, { withKey }: { readonly withKey: boolean }): Net => ({
  connect: (url, handlers) => net.connect(url, handlers),
  request(request) {
    if (isPublic(request) || (withKey && isAsset(request))) return net.request(request);
    const why = withKey ? '' : ' without a key';
    const what = `mode: paper${why} does not send ${request.method} ${new URL(request.url).pathname}`;
    return Promise.reject(new TransportError(what, { sent: false }));
  },
});

const isPublic = ({ method, url }: HttpRequest): boolean =>
  method === 'GET' && new URL(url).pathname.startsWith(PUBLIC);

/** `GET /futures` and `GET /futures/{symbol}?is_symbol` (interface: endpoints). */
function isAsset({ method, url }: HttpRequest): boolean {
  const { pathname, searchParams } = new URL(url);
  if (method !== 'GET' || !pathname.startsWith(ASSETS)) return false;
  const rest = pathname.slice(ASSETS.length);
  return rest === '' || (searchParams.has('is_symbol') && /^\/[A-Z0-9]+$/.test(rest));
}
