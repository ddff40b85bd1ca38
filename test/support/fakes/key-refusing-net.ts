import type { Net } from '../../../src/core/ports.js';
import { FakeProcess } from './fake-process.js';

/** As the venue words it (supplement, part 3). */
const UNAUTHENTICATED = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"success":false,"errors":[{"text":"Invalid Authentication","code":3100}]}',
};

/** A life in which the venue can stop to know the key: it answers 401 wherever one is needed. */
export class KeyRefusingNet extends FakeProcess {
  /** Paths it is refused on; none at first. */
  refused: (path: string) => boolean = () => false;

  override net(inner: Net): Net {
    const net = super.net(inner);
    return {
      ...net,
      request: (request) => {
        const { pathname } = new URL(request.url);
        const needsKey = pathname.startsWith('/fapi/') && !pathname.startsWith('/fapi/v1/price/');
        return needsKey && this.refused(pathname)
          ? Promise.resolve(UNAUTHENTICATED)
          : net.request(request);
      },
    };
  }
}
