import { describe, expect, it } from 'vitest';
import { nonPublicReason } from './public-address.js';

describe('the address of a public host', () => {
  it.each([
    '8.8.8.8',
    '93.184.216.34',
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001:82b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is public', (address) => {
    expect(nonPublicReason(address)).toBeUndefined();
  });

  it.each([
    ['0.0.0.0', 'an unspecified address'],
    ['10.0.0.1', 'a private address'],
    ['10.255.255.255', 'a private address'],
    ['100.64.0.0', 'a shared address of a provider'],
    ['100.127.255.255', 'a shared address of a provider'],
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.255', 'a loopback address'],
    ['169.254.169.254', 'a link-local address'],
    ['172.16.0.0', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.168.1.1', 'a private address'],
    ['192.0.2.1', 'an address for documentation'],
    ['198.18.0.1', 'an address for benchmarks'],
    ['203.0.113.7', 'an address for documentation'],
    ['224.0.0.1', 'a multicast or reserved address'],
    ['255.255.255.255', 'a multicast or reserved address'],
    ['::', 'a reserved address'],
    ['::1', 'a loopback address'],
    ['::7', 'a reserved address'],
    ['::ffff:127.0.0.1', 'a loopback address'],
    ['::ffff:a00:1', 'a private address'],
    ['64:ff9b::a00:1', 'a private address'],
    ['fe80::1', 'a link-local address'],
    ['febf::1', 'a link-local address'],
    ['fc00::1', 'a private address'],
    ['fd12:3456::1', 'a private address'],
    ['ff02::1', 'a multicast address'],
    ['2001:db8::1', 'an address for documentation'],
    ['2001::1', 'a reserved address'],
    ['2002:7f00:1::', 'a reserved address'],
    ['3fff::1', 'an address for documentation'],
    ['4000::1', 'a reserved address'],
  ])('%s is %s', (address, reason) => {
    expect(nonPublicReason(address)).toBe(reason);
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '0x7f.0.0.1'])(
    'the text "%s" is no readable address',
    (text) => {
      expect(nonPublicReason(text)).toBe('no readable address');
    },
  );

  it.each(['fe80::1%eth0', '1::2::3', '2606:4700:::1', '1:2:3:4:5:6:7', ':::'])(
    'the text %s is no readable IPv6 address',
    (text) => {
      expect(nonPublicReason(text)).toBe('no readable address');
    },
  );
});
