import { BlockList, isIP } from 'node:net';

/** Matches addresses against CIDR ranges; IPv4 and IPv6 are separate. */
export class Networks {
  readonly #byFamily = { 4: new BlockList(), 6: new BlockList() };

  /** Networks such as `10.0.0.0/8` and `fd00::/8`, or single addresses; each must pass `isNetwork`. */
  constructor(networks: Iterable<string>) {
    for (const network of networks) {
      const { address, family, prefixBits } = parseNetwork(network);
      this.#byFamily[family].addSubnet(address, prefixBits, family === 4 ? 'ipv4' : 'ipv6');
    }
  }

  contains(address: string): boolean {
    const family = isIP(address);
    if (family === 4) return this.#byFamily[4].check(address, 'ipv4');
    return family === 6 && this.#byFamily[6].check(address, 'ipv6');
  }
}

export function isNetwork(text: string): boolean {
  try {
    parseNetwork(text);
    return true;
  } catch {
    return false;
  }
}

function parseNetwork(text: string): { address: string; family: 4 | 6; prefixBits: number } {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address) === 4 ? 4 : 6;
  const maxBits = family === 4 ? 32 : 128;
  const prefixBits = prefix === undefined ? maxBits : Number(prefix);
  const isPrefix = (prefix === undefined || /^\d{1,3}$/u.test(prefix)) && prefixBits <= maxBits;
  if (isIP(address) === 0 || address.includes('%') || !isPrefix || rest.length > 0) {
    throw new TypeError(`${text} is not a network`);
  }
  return { address, family, prefixBits };
}
