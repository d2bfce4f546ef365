import { describe, expect, it } from '@jest/globals';
import { readSipUri } from '../message/uri.ts';
import { resolveUri, type NameService } from './resolve.ts';

const names: NameService = {
  addresses(host) {
    const known: Record<string, string[]> = {
      'sip.test': ['192.0.2.1', '192.0.2.2'],
      'gw.test': ['192.0.2.7'],
      'dual.test': ['192.0.2.4', '2001:db8::4'],
    };
    const found = known[host];
    return found ? Promise.resolve(found) : Promise.reject(new Error('ENOTFOUND'));
  },
  services(name) {
    const known: Record<string, { host: string; port: number }[]> = {
      '_sip._udp.trunk.test': [
        { host: 'away.test', port: 5080 },
        { host: 'gw.test', port: 5070 },
      ],
      '_sips._tcp.secure.test': [{ host: 'gw.test', port: 5090 }],
      '_sip._tcp.stream.test': [{ host: '192.0.2.8', port: 5075 }],
    };
    const found = known[name];
    return found ? Promise.resolve(found) : Promise.reject(new Error('ENODATA'));
  },
  pointers(name) {
    const to = (service: string, replacement: string, flags = 'S') => ({ flags, service, replacement });
    const known: Record<string, ReturnType<typeof to>[]> = {
      'carrier.test': [
        to('SIPS+D2T', '_sips._tcp.secure.test'),
        to('E2U+sip', '_sip._udp.trunk.test'),
        to('SIP+D2T', 'gw.test', 'A'),
        to('sip+d2u', '_sip._udp.trunk.test'),
      ],
      'trunk.test': [to('SIP+D2T', '_sip._tcp.nowhere.test')],
    };
    const found = known[name];
    return found ? Promise.resolve(found) : Promise.reject(new Error('ENODATA'));
  },
};

async function found(text: string, hasTls = true, families: readonly (4 | 6)[] = [4, 6]): Promise<string[]> {
  const uri = readSipUri(text);
  if (!uri) throw new Error('no URI');
  return (await resolveUri(uri, names, { owner: undefined, families, hasTls })).map(
    ({ transport, address, port, serverName }) =>
      `${transport} ${address} ${port}${serverName === undefined ? '' : ` for ${serverName}`}`,
  );
}

describe('resolveUri', () => {
  it.each([
    ['sip:a@192.0.2.9', ['udp 192.0.2.9 5060']],
    ['sip:a@192.0.2.9:5070;transport=TCP', ['tcp 192.0.2.9 5070']],
    ['sip:a@[2001:db8::1]:5070', ['udp 2001:db8::1 5070']],
    ['sip:a@[2001:DB8:0:0::1]', ['udp 2001:db8::1 5060']],
    ['sip:a@dual.test', ['udp 192.0.2.4 5060', 'udp 2001:db8::4 5060']],
    ['sip:a@x.test;maddr=192.0.2.3', ['udp 192.0.2.3 5060']],
    ['sip:a@sip.test', ['udp 192.0.2.1 5060', 'udp 192.0.2.2 5060']],
    ['sip:a@trunk.test', ['udp 192.0.2.7 5070']],
    ['sip:a@stream.test', ['tcp 192.0.2.8 5075']],
    ['sip:a@stream.test:5060;maddr=sip.test', ['udp 192.0.2.1 5060', 'udp 192.0.2.2 5060']],
    ['sip:a@carrier.test', ['tls 192.0.2.7 5090 for carrier.test', 'udp 192.0.2.7 5070']],
    ['sips:a@carrier.test', ['tls 192.0.2.7 5090 for carrier.test']],
    ['sips:a@192.0.2.9', ['tls 192.0.2.9 5061 for 192.0.2.9']],
    ['sips:a@gw.test;transport=tcp', ['tls 192.0.2.7 5061 for gw.test']],
    ['sip:a@secure.test;transport=tls', ['tls 192.0.2.7 5090 for secure.test']],
    ['sip:a@secure.test:5062;maddr=192.0.2.3;transport=TLS', ['tls 192.0.2.3 5062 for secure.test']],
  ])('resolves %s', async (uri, expected) => {
    expect(await found(uri)).toEqual(expected);
  });

  it('returns only addresses of the endpoint’s IP families', async () => {
    expect(await found('sip:a@dual.test', true, [4])).toEqual(['udp 192.0.2.4 5060']);
    expect(await found('sip:a@dual.test', true, [6])).toEqual(['udp 2001:db8::4 5060']);
    await expect(found('sip:a@[2001:db8::1]', true, [4])).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('skips TLS targets if the endpoint has no certificate', async () => {
    expect(await found('sip:a@carrier.test', false)).toEqual(['udp 192.0.2.7 5070']);
  });

  it.each(['sips:a@192.0.2.9', 'sip:a@192.0.2.9;transport=tls'])(
    'rejects %s if TLS is not configured',
    async (uri) => {
      await expect(found(uri, false)).rejects.toThrow('TLS is not configured');
    },
  );

  it.each([
    'sip:a@nowhere.test',
    'sip:a@trunk.test:5060',
    'sips:a@192.0.2.9;transport=udp',
    'sip:a@192.0.2.9;transport=ws',
  ])('rejects %s as unreachable', async (uri) => {
    await expect(found(uri)).rejects.toMatchObject({ code: 'unreachable' });
  });
});
