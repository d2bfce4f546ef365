import { isReliable, type SipSource } from '../calls.ts';
import { readEnvelope, type Envelope } from './envelope.ts';
import type { SipMessage, SipRequest, SipResponse } from './message.ts';
import { splitOutside } from './separated.ts';
import { headerOf } from './headers.ts';
import { writeVia, type Via } from './via.ts';

/** A received message with its parsed envelope. */
export interface Received<T extends SipMessage> {
  message: T;
  envelope: Envelope;
  source: SipSource;
  /** Size of the whole datagram. */
  sizeBytes: number;
}

export type ReceivedRequest = Received<SipRequest>;
export type ReceivedResponse = Received<SipResponse>;

/** Null if the envelope is malformed. Adds the source to a request's topmost Via. */
export function receivedMessage<T extends SipMessage>(
  message: T,
  source: SipSource,
  sizeBytes: number,
): Received<T> | null {
  const envelope = readEnvelope(message);
  if (!envelope) return null;
  if (message.kind === 'response') return { message, envelope, source, sizeBytes };
  return { message: stamped(message, envelope.via, source), envelope, source, sizeBytes };
}

/** A request with its source in the topmost Via (RFC 3261, 18.2.1; RFC 3581). */
export function stamped<T extends SipMessage>(message: T, via: Via, source: SipSource): T {
  const parameters = new Map(via.parameters);
  parameters.set('received', source.address);
  if (parameters.has('rport')) parameters.set('rport', String(source.port));
  const [, ...others] = splitOutside(headerOf(message, 'Via') ?? '', ',');
  return withFirstVia(message, [writeVia({ ...via, parameters }), ...others].join(', '));
}

function withFirstVia<T extends SipMessage>(message: T, value: string): T {
  const at = message.headers.findIndex(([name]) => name === 'Via');
  return { ...message, headers: message.headers.with(at, ['Via', value]) };
}

interface ReplyTarget {
  envelope: Pick<Envelope, 'via'>;
  source: SipSource;
}

/** The destination of the response to a request (RFC 3261, 18.2.2). */
export function replyPeer({ envelope: { via }, source }: ReplyTarget): SipSource {
  const port = via.port ?? 5060;
  if (isReliable(source)) return { ...source, listeningPort: port };
  return via.parameters.has('rport') ? source : { ...source, port };
}
