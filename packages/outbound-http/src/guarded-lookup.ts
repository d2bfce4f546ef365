import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { toError } from '@calls/foundation/errors';
import type { AddressGuard } from './address-guard.ts';
import { OutboundError } from './outbound-error.ts';
import { isLocalhost, LOOPBACK } from './url-guard.ts';

/**
 * The look-up function of sockets. It checks the addresses that the socket then connects to, without a second look-up.
 * A name with any forbidden address is refused. `localhost` resolves to the allowed loopback addresses.
 */
export function guardedLookup(
  addressesOf: (hostname: string) => Promise<readonly string[]>,
  guard: AddressGuard,
): LookupFunction {
  const allowedAddresses = async (hostname: string, family: 0 | 4 | 6): Promise<LookupAddress[]> => {
    const found = isLocalhost(hostname)
      ? LOOPBACK.filter((address) => guard.refusalOf(address) === null)
      : await addressesOf(hostname);
    for (const address of found) guard.assertAllowed(address);
    const addresses = found.map((address) => ({ address, family: isIP(address) }));
    return addresses.filter((each) => family === 0 || each.family === family);
  };
  return (hostname, options, callback) => {
    const family = options.family === 4 || options.family === 6 ? options.family : 0;
    allowedAddresses(hostname, family).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(unknownName(), []);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (thrown: unknown) => callback(toError(thrown), []),
    );
  };
}

function unknownName(): Error {
  return new OutboundError('outbound_failed', "the host's name is not known", { retryable: true });
}
