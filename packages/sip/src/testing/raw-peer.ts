import type { VirtualClock } from '@calls/foundation/virtual-clock';
import type { Dialog, IncomingInvite, OutgoingCall, OutgoingInvite } from '../calls.ts';
import { headerOf } from '../message/headers.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import {
  rawRequest,
  SimulatedNetwork,
  simulatedEndpoint,
  type SimulatedEndpoint,
} from './simulated-network.ts';

export const OFFER = 'v=0\r\no=peer\r\n';
export const OURS = 'v=0\r\no=us\r\n';
export const SDP_TYPE = 'Content-Type: application/sdp';
const OUR_ADDRESS = '10.0.0.2';
const PEER_ADDRESS = '203.0.113.9';
const TRAVEL_MS = 50;

/** A peer that sends whatever a test specifies, valid or not. */
export class RawPeer {
  readonly network: SimulatedNetwork;
  readonly clock: VirtualClock;
  readonly us: SimulatedEndpoint;
  /** The messages that arrived at this peer. */
  readonly received: SipMessage[] = [];
  readonly #address: string;

  constructor(address = PEER_ADDRESS, network = new SimulatedNetwork()) {
    this.network = network;
    this.clock = network.clock;
    this.#address = address;
    const limits = { unknownSourceBurst: 20, unknownSourcePerSecond: 1, peerBurst: 20, peerPerSecond: 1 };
    this.us = simulatedEndpoint(this.network, OUR_ADDRESS, limits);
    this.network.attach(address, (bytes) => {
      const message = parseMessage(bytes);
      if (message) this.received.push(message);
    });
  }

  /** Checks that no transaction and no timer remains when all limits have passed. */
  async expectNothingLeft(): Promise<void> {
    await this.clock.advance(200_000);
    const { pendingTimers } = this.clock;
    if (pendingTimers > 0) throw new Error(`${pendingTimers} timers are left`);
  }

  /** Sends messages and advances the clock until they and the responses have arrived. */
  async say(...texts: readonly string[]): Promise<void> {
    for (const text of texts) this.network.send(text, this.#address, OUR_ADDRESS);
    await this.clock.advance(TRAVEL_MS);
  }

  lastResponse(): SipResponse {
    const last = this.received.findLast((message) => message.kind === 'response');
    if (last?.kind !== 'response') throw new Error('no response was sent');
    return last;
  }

  requestsOf(method: string): SipRequest[] {
    return this.received.filter(
      (message): message is SipRequest => message.kind === 'request' && message.method === method,
    );
  }

  /** The last request with this method, or the one at `at`. */
  requestOf(method: string, at = -1): SipRequest {
    const request = this.requestsOf(method).at(at);
    if (!request) throw new Error(`no ${method} request was sent`);
    return request;
  }

  /** Starts an outgoing call to this peer, and waits until the INVITE has arrived. */
  async call(options: Partial<OutgoingInvite> = {}): Promise<OutgoingCall> {
    const call = this.us.core.invite({
      to: `sip:x@${this.#address}`,
      from: `sip:me@${OUR_ADDRESS}`,
      credentials: null,
      sdp: OURS,
      ringLimitMs: 60_000,
      ...options,
    });
    await this.clock.advance(TRAVEL_MS);
    return call;
  }

  async invite(lines: readonly string[] = [], body = OFFER): Promise<IncomingInvite> {
    await this.say(rawRequest('INVITE', body === '' ? lines : [...lines, SDP_TYPE], body));
    const invite = this.us.invites.at(-1);
    if (!invite) throw new Error('no INVITE came through');
    return invite;
  }

  /** An answered and acknowledged call. Without an offer, the ACK has the peer's answer. */
  async standing(lines: readonly string[] = [], body = OFFER): Promise<Dialog> {
    const accepted = (await this.invite(lines, body)).accept(OURS);
    await this.clock.advance(TRAVEL_MS);
    await this.say(this.within('ACK', 1, body === '' ? [SDP_TYPE] : [], body === '' ? OFFER : ''));
    return accepted;
  }

  /** A request within the dialog that the endpoint's 200 established. */
  within(method: string, cseq: number, lines: readonly string[] = [], body = ''): string {
    const ok = this.received.findLast((each) => each.kind === 'response' && each.status === 200);
    const to = headerOf(ok ?? this.lastResponse(), 'To');
    const via = `Via: SIP/2.0/UDP ${this.#address};branch=z9hG4bK-${method}-${cseq};rport`;
    return rawRequest(method, [via, `To: ${to}`, `CSeq: ${cseq} ${method}`, ...lines], body);
  }
}

/** A response to a request of the endpoint; adds the tag to To if it has none. */
export function answerTo(
  request: SipRequest,
  status: string,
  { tag = 'peer', lines = [], body = '' }: { tag?: string; lines?: readonly string[]; body?: string } = {},
): string {
  const copied = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(request, name)}`);
  const to = headerOf(request, 'To') ?? '';
  const tagged = to.includes('tag=') ? to : `${to};tag=${tag}`;
  const type = body === '' ? [] : [SDP_TYPE];
  const all = [...copied, `To: ${tagged}`, ...lines, ...type, `Content-Length: ${body.length}`];
  return `SIP/2.0 ${status}\r\n${all.join('\r\n')}\r\n\r\n${body}`;
}
