import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import type { IncomingInvite, SipSource } from '../calls.ts';
import {
  DEFAULT_SIP_LIMITS,
  type SipEndpointOptions,
  type SipLimits,
  type SipLogEntry,
} from '../endpoint-options.ts';
import { EndpointCore } from '../endpoint/endpoint-core.ts';
import type { NameService } from '../transport/resolve.ts';

export const NO_NAMES: NameService = {
  addresses: (host) => Promise.reject(new Error(`${host} has no address`)),
  services: () => Promise.resolve([]),
  pointers: () => Promise.resolve([]),
};

/** Delivery of a datagram: one delay in milliseconds per arrival; empty if it is lost. */
export type ArrivalDelays = readonly number[];

const DELAY_MS = 10;
const ARRIVES: ArrivalDelays = [DELAY_MS];

/** Datagrams between addresses in virtual time. Tests decide which are lost, duplicated or delayed. */
export class SimulatedNetwork {
  readonly clock = new VirtualClock();
  /** Summaries of all datagrams in send order: `a→b INVITE`, `b→a 200 INVITE`. */
  readonly sent: string[] = [];
  arrivalDelaysOf: (datagram: string, text: string) => ArrivalDelays = () => ARRIVES;
  readonly #nodes = new Map<string, (bytes: Uint8Array, from: SipSource) => void>();

  attach(address: string, receive: (bytes: Uint8Array, from: SipSource) => void): void {
    this.#nodes.set(address, receive);
  }

  send(text: string, from: string, to: string): void {
    const datagram = `${from}→${to} ${summary(text)}`;
    this.sent.push(datagram);
    for (const delayMs of this.arrivalDelaysOf(datagram, text)) {
      this.clock.setTimer(delayMs, () => {
        this.#nodes.get(to)?.(Buffer.from(text), { transport: 'udp', address: from, port: 5060 });
      });
    }
  }

  /** Drops the next `count` datagrams with that summary. */
  lose(wanted: string, count = 1): void {
    let left = count;
    const before = this.arrivalDelaysOf;
    this.arrivalDelaysOf = (datagram, text) => {
      if (datagram !== wanted || left === 0) return before(datagram, text);
      left -= 1;
      return [];
    };
  }

  count(datagram: string): number {
    return this.sent.filter((each) => each === datagram).length;
  }
}

function summary(text: string): string {
  const start = text.split('\r\n')[0] ?? '';
  const status = /^SIP\/2\.0 (?<status>\d+)/u.exec(start)?.groups?.['status'];
  const method = /^CSeq: \d+ (?<method>\w+)/mu.exec(text)?.groups?.['method'] ?? '';
  return status === undefined ? method : `${status} ${method}`;
}

export interface SimulatedEndpoint {
  core: EndpointCore;
  /** Received INVITEs in order; only the test answers them. */
  invites: IncomingInvite[];
  messages: SipLogEntry[];
}

export function simulatedEndpoint(
  network: SimulatedNetwork,
  address: string,
  { admit, ...limits }: Partial<SipLimits> & Pick<SipEndpointOptions, 'admit'> = {},
): SimulatedEndpoint {
  const invites: IncomingInvite[] = [];
  const messages: SipLogEntry[] = [];
  const core = new EndpointCore({
    host: address,
    address,
    port: 5060,
    tlsPort: null,
    clock: network.clock,
    log: silentLogger,
    limits: { ...DEFAULT_SIP_LIMITS, ...limits },
    mayReach: (to) => !to.startsWith('198.51.100.'),
    names: {
      ...NO_NAMES,
      addresses: (host, query) =>
        host === 'trunk.test'
          ? Promise.resolve(['203.0.113.9', '203.0.113.10'])
          : NO_NAMES.addresses(host, query),
    },
    messages: {
      send: (text, to) => {
        network.send(text, address, to.address);
        return Promise.resolve();
      },
    },
    ...(admit && { admit }),
    onInvite: (invite) => invites.push(invite),
    onMessage: (message) => messages.push(message),
  });
  network.attach(address, (bytes, from) => core.onBytes(bytes, from));
  return { core, invites, messages };
}

/** A request that the endpoint itself never sends. */
export function rawRequest(method: string, lines: readonly string[] = [], body = ''): string {
  const headers = [
    'Max-Forwards: 70',
    'From: <sip:caller@203.0.113.9>;tag=raw',
    'To: <sip:agent@10.0.0.2>',
    'Call-ID: raw-call',
    `CSeq: 1 ${method}`,
    'Contact: <sip:caller@203.0.113.9>',
  ].filter((header) => !lines.some((line) => line.startsWith(header.split(' ')[0] ?? '')));
  const via = lines.some((line) => line.startsWith('Via:'))
    ? []
    : [`Via: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK-raw-${method};rport`];
  const all = [...via, ...headers, ...lines, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${method} sip:agent@10.0.0.2 SIP/2.0\r\n${all.join('\r\n')}\r\n\r\n${body}`;
}
