import { TransportError, type Net } from '../../core/ports.js';

/**
 * Network access that reads. Every request that leaves it is a GET without a body, so that nothing behind it
 * can place, change or cancel. The interface has no GET with an effect.
 */
export const readOnlyNet = (net: Net): Net => ({
  connect: (url, handlers) => net.connect(url, handlers),
  request({ method, url, headers, timeoutMs }) {
    if (method === 'GET') return net.request({ method: 'GET', url, headers, timeoutMs });
    const what = `a run that only reads does not send ${method} ${new URL(url).pathname}`;
    return Promise.reject(new TransportError(what, { sent: false }));
  },
});
