import { describe, expect, it } from 'vitest';
import { venueUrls, VenueUrlError } from './url.js';

const WS = 'wss://stream.example.com';
const BASE = 'https://api.example.com';

const ACCEPTED: readonly (readonly [string, string])[] = [
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['HTTPS://API.Example.COM', 'https://api.example.com'],
  ['https://api.example.com:443', 'https://api.example.com'],
  ['https://api.example.com:8443', 'https://api.example.com:8443'],
  ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
  ['https://localhost', 'https://localhost'],
  ['https://127.0.0.1', 'https://127.0.0.1'],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
  ['http://127.0.0.1', 'http://127.0.0.1'],
  ['http://127.255.3.4:1', 'http://127.255.3.4:1'],
  ['http://[::1]:8787', 'http://[::1]:8787'],
];

const REFUSED: readonly (readonly [string, RegExp])[] = [
  // No TLS.
  ['http://api.example.com', /without TLS only/],
  ['http://localhost:8787', /without TLS only/],
  ['http://127.0.0.1.example.com', /without TLS only/],
  ['http://sandbox', /without TLS only/],
  // Addresses that are not loopback, in many spellings.
  ['http://10.0.0.1', /only on loopback/],
  ['http://0.0.0.0:8787', /only on loopback/],
  ['http://192.168.1.1', /only on loopback/],
  ['https://169.254.169.254', /only on loopback/],
  ['https://10.0.0.1', /only on loopback/],
  ['https://8.8.8.8', /only on loopback/],
  ['https://[fe80::1]', /only on loopback/],
  ['https://[2001:db8::1]', /only on loopback/],
  ['http://[::]', /only on loopback/],
  ['http://[::ffff:7f00:1]', /only on loopback/],
  // Disguised loopback that other parsers read differently.
  ['http://127.1', /plain form, 127\.0\.0\.1/],
  ['http://2130706433', /plain form, 127\.0\.0\.1/],
  ['http://0x7f.0.0.1', /plain form, 127\.0\.0\.1/],
  ['http://0177.0.0.1', /plain form, 127\.0\.0\.1/],
  ['http://127.0.0.01', /plain form, 127\.0\.0\.1/],
  ['http://[::ffff:127.0.0.1]', /plain form/],
  ['http://[0:0:0:0:0:0:0:1]', /plain form, \[::1\]/],
  ['https://bücher.example', /plain form, xn--bcher-kva\.example/],
  ['https://api%2eexample.com', /plain form/],
  ['https://①27.0.0.1', /plain form/],
  // More than an origin.
  ['https://user@api.example.com', /user name or password/],
  ['https://user:word@api.example.com', /user name or password/],
  ['https://api.example.com@evil.example', /user name or password/],
  ['https://api.example.com/fapi/v1', /without a path/],
  ['https://api.example.com/..', /without a path/],
  ['https://api.example.com?a=b', /query or fragment/],
  ['https://api.example.com/?a', /query or fragment/],
  ['https://api.example.com#a', /query or fragment/],
  // Not a host.
  ['https://', /must look like|no host/],
  ['https:///', /must look like|no host/],
  ['https://api.example.com:99999', /port is wrong/],
  ['https://api.example.com:port', /no host, or the port/],
  ['https://:443', /no host/],
  ['https://api.example.com.', /not a plain domain name/],
  ['https://-a.example', /not a plain domain name/],
  ['https://a_b.example', /not a plain domain name/],
  ['https://a..example', /not a plain domain name/],
  // Other spellings and schemes.
  ['https:api.example.com', /must look like/],
  ['api.example.com', /must look like/],
  ['', /must look like/],
  [' https://api.example.com', /must look like/],
  ['https://api.example.com\n', /must look like/],
  ['https://api.example.com\\@evil.example', /must look like/],
  ['https://api\t.example.com', /must look like/],
  ['ftp://api.example.com', /must begin with https/],
  ['file:///etc/passwd', /must look like/],
  ['wss://api.example.com', /must begin with https/],
  ['javascript://api.example.com', /must begin with https/],
];

describe('configured addresses', () => {
  it.each(ACCEPTED)('the address %s is accepted', (text, origin) => {
    expect(venueUrls(text, WS).futures([])).toBe(`${origin}/fapi/v1/futures`);
  });

  it.each(REFUSED)('the address %j is refused', (text, reason) => {
    expect(() => venueUrls(text, WS)).toThrow(VenueUrlError);
    expect(() => venueUrls(text, WS)).toThrow(reason);
  });

  it.each([
    ['https://stream.example.com', /must begin with wss/],
    ['ws://stream.example.com', /without TLS only/],
    ['wss://stream.example.com/fapi', /without a path/],
  ])('the address %s is refused as ws_url', (text, reason) => {
    expect(() => venueUrls(BASE, text)).toThrow(reason);
  });

  it('the error does not repeat a password', () => {
    expect(() => venueUrls('https://user:hunter2@api.example.com', WS)).toThrow(
      /^(?!.*hunter2).*base_url/,
    );
  });
});

describe('the URL builder', () => {
  const urls = venueUrls(BASE, WS);

  it('the builder makes every address of the interface', () => {
    expect(urls.placeOrder({ symbol: 'BTCUSDT' })).toBe(
      'https://api.example.com/fapi/v2/futures/order?symbol=BTCUSDT',
    );
    expect(urls.futures(['BTCUSDT', 'leverage'], { is_symbol: 'true' })).toBe(
      'https://api.example.com/fapi/v1/futures/BTCUSDT/leverage?is_symbol=true',
    );
    expect(urls.price('kline', { assets: 'BTC/USDT,ETH/USDT' })).toBe(
      'https://api.example.com/fapi/v1/price/kline?assets=BTC%2FUSDT%2CETH%2FUSDT',
    );
    expect(urls.stream).toBe('wss://stream.example.com/fapi/v1/price/ws/linear');
  });

  it('special characters are encoded, and undefined parameters are left out', () => {
    expect(urls.futures(['a/../b?c#d\r\n'], { e: '&f=', g: undefined })).toBe(
      'https://api.example.com/fapi/v1/futures/a%2F..%2Fb%3Fc%23d%0D%0A?e=%26f%3D',
    );
  });

  it.each(['', '.', '..'])(
    'the segment %j is refused, because it would address another resource',
    (segment) => {
      expect(() => urls.futures(['orders', segment])).toThrow('A path segment names one thing');
    },
  );
});
