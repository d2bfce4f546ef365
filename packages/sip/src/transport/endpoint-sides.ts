import { canonicalAddress, familyOf } from '@calls/foundation/address-network';

/** A listening address, and the one advertised to peers. */
interface EndpointSide {
  host: string;
  address: string;
}

export interface EndpointSides extends EndpointSide {
  otherFamily?: EndpointSide;
}

/** The address families that an endpoint can send to. */
export function familiesOf({ host, otherFamily }: EndpointSides): (4 | 6)[] {
  return [host, ...(otherFamily ? [otherFamily.host] : [])].map(familyOf);
}

/** The listening and advertised address for a peer at this address. */
export function sideFor({ host, address, otherFamily }: EndpointSides, peerAddress: string): EndpointSide {
  return otherFamily && familyOf(host) !== familyOf(peerAddress) ? otherFamily : { host, address };
}

/** The host of a URI or Via. */
export function inBrackets(host: string): string {
  return familyOf(host) === 6 ? `[${host}]` : host;
}

/** The host of a URI or Via, as a name or a canonical address. */
export function withoutBrackets(host: string): string {
  return canonicalAddress(host.replaceAll(/^\[|\]$/gu, ''));
}
