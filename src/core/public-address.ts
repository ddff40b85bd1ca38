/**
 * Ranges that no public host has (IANA special-purpose registries of IPv4 and IPv6: RFC 6890 and its
 * updates). An IPv4 address is 32 bits, an IPv6 address eight groups of 16.
 */
const RESERVED_IPV4: readonly (readonly [base: string, bits: number, name: string])[] = [
  ['0.0.0.0', 8, 'an unspecified address'],
  ['10.0.0.0', 8, 'a private address'],
  ['100.64.0.0', 10, 'a shared address of a provider'],
  ['127.0.0.0', 8, 'a loopback address'],
  ['169.254.0.0', 16, 'a link-local address'],
  ['172.16.0.0', 12, 'a private address'],
  ['192.0.0.0', 24, 'a reserved address'],
  ['192.0.2.0', 24, 'an address for documentation'],
  ['192.88.99.0', 24, 'a reserved address'],
  ['192.168.0.0', 16, 'a private address'],
  ['198.18.0.0', 15, 'an address for benchmarks'],
  ['198.51.100.0', 24, 'an address for documentation'],
  ['203.0.113.0', 24, 'an address for documentation'],
  ['224.0.0.0', 3, 'a multicast or reserved address'],
];

const UNREADABLE = 'no readable address';

/** Why an IP address belongs to no public host; undefined: it may. @param text as a resolver prints it */
export function nonPublicReason(text: string): string | undefined {
  if (!text.includes(':')) {
    const bits = ipv4Bits(text);
    return bits === undefined ? UNREADABLE : ipv4Reason(bits);
  }
  const groups = ipv6Groups(text);
  return groups === undefined ? UNREADABLE : ipv6Reason(groups);
}

const ipv4Reason = (bits: number): string | undefined =>
  RESERVED_IPV4.find(([base, length]) => {
    const size = 1 << (32 - length);
    return Math.floor(bits / size) === Math.floor((ipv4Bits(base) ?? 0) / size);
  })?.[2];

function ipv4Bits(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part)))
    return undefined;
  const bytes = parts.map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  return bytes.reduce((bits, byte) => bits * 256 + byte, 0);
}

function ipv6Reason(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0] = groups;
  const low = (groups[6] ?? 0) * 65_536 + (groups[7] ?? 0);
  const leads = (...prefix: readonly number[]): boolean =>
    prefix.every((group, index) => groups[index] === group);
  // An IPv4 address inside: mapped, or behind a NAT64 of the network (RFC 6052).
  if (leads(0, 0, 0, 0, 0, 0xff_ff) || leads(0x64, 0xff_9b, 0, 0, 0, 0)) return ipv4Reason(low);
  if (leads(0, 0, 0, 0, 0, 0, 0)) return low === 1 ? 'a loopback address' : 'a reserved address';
  if ((first & 0xfe_00) === 0xfc_00) return 'a private address';
  if ((first & 0xff_c0) === 0xfe_80) return 'a link-local address';
  if ((first & 0xff_00) === 0xff_00) return 'a multicast address';
  if ((first & 0xe0_00) !== 0x20_00) return 'a reserved address';
  if (first === 0x20_02) return 'a reserved address';
  if (first === 0x20_01 && second === 0xd_b8) return 'an address for documentation';
  if (first === 0x20_01 && second < 0x2_00) return 'a reserved address';
  return (first & 0xff_f0) === 0x3f_f0 ? 'an address for documentation' : undefined;
}

/** A zone such as `%eth0` is unreadable: only link-local addresses have one. */
function ipv6Groups(text: string): readonly number[] | undefined {
  const [head = '', tail, ...more] = withoutDots(text).split('::');
  if (more.length > 0) return undefined;
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...before, ...Array<string>(missing).fill('0'), ...after];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.map((group) => parseInt(group, 16));
}

/** The last four bytes may be printed as an IPv4 address. */
function withoutDots(text: string): string {
  const dotted = /[\d.]+$/.exec(text)?.[0] ?? '';
  const bits = dotted.includes('.') ? ipv4Bits(dotted) : undefined;
  if (bits === undefined) return text;
  const groups = `${Math.floor(bits / 65_536).toString(16)}:${(bits % 65_536).toString(16)}`;
  return `${text.slice(0, -dotted.length)}${groups}`;
}
