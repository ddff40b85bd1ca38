import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Ranges without public hosts (IANA special-purpose registries, RFC 6890 and its successors). */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Public IPv6 addresses lie in 2000::/3. These parts of it embed IPv4 addresses or are not routed. */
const PRIVATE_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const privateV4 = new BlockList();
for (const [net, bits] of PRIVATE_IPV4) privateV4.addSubnet(net, bits, 'ipv4');
const privateV6 = new BlockList();
for (const [net, bits] of PRIVATE_IPV6) privateV6.addSubnet(net, bits, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** An IPv4 address within IPv6 (`::ffff:127.0.0.1`), as sockets of both families report it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Whether an IP address is one of the public internet: not private, loopback, link-local, multicast or
 * reserved. Anything that is no address is none.
 */
export function isPublicAddress(address: string): boolean {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (isIPv4(plain)) return !privateV4.check(plain, 'ipv4');
  return isIPv6(plain) && global6.check(plain, 'ipv6') && !privateV6.check(plain, 'ipv6');
}
