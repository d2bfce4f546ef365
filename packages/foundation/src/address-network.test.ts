import { describe, expect, it } from '@jest/globals';
import { networkOf } from './address-network.ts';

describe('networkOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::', '2001:db8:1:2'],
    ['2001:db8::7', '2001:db8:0:0'],
    ['2001:0db8:0000::7%eth0', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['192.0.2.1:50000', '192.0.2.1'],
    ['[2001:db8:1:2::7]:50000', '2001:db8:1:2'],
    ['[2001:db8:1:2::7]', '2001:db8:1:2'],
    ['unknown', 'unknown'],
  ])('maps %s to %s', (address, network) => expect(networkOf(address)).toBe(network));
});
