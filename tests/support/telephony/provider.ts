import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import type { XmlElement } from './call-xml.ts';

/** An invalid request that a real provider would reject. */
export class ProtocolError extends Error {}

/** Audio format of stream payloads. L16 is little-endian. */
export interface StreamFormat {
  encoding: 'pcmu' | 'pcma' | 'l16';
  sampleRateHz: number;
}

/** A stream that a call is to be connected to. */
export interface StreamOrder {
  url: string;
  /** Format of the audio from the person. */
  said: StreamFormat;
  /** Format of the audio to the person. */
  played: StreamFormat;
}

export type Verb =
  | { verb: 'stream'; order: StreamOrder }
  | { verb: 'redirect'; request: WebRequest }
  | { verb: 'hangup' }
  | { verb: 'dial'; target: string; callerId: string | null };

export interface WebRequest {
  url: string;
  method: 'GET' | 'POST';
}

export type CallStatus = 'ringing' | 'in-progress' | 'completed' | 'busy' | 'no-answer' | 'canceled';

/** The state of a phone call at the provider. */
export interface PhoneFacts {
  callId: string;
  from: string;
  to: string;
  isOutgoing: boolean;
  status: CallStatus;
}

/** The reason for a request of the provider to a webhook. */
export type Happening = 'started' | 'redirected' | 'status';

/** A request to the provider's API. */
export interface ApiRequest {
  method: 'POST' | 'DELETE';
  path: string;
  authorization: string;
  /** Parameters of a form or of JSON. */
  parameters: Readonly<Record<string, unknown>>;
}

/** A phone call that the API was requested to dial. */
export interface Dialled {
  to: string;
  from: string;
  answer: WebRequest;
  status: WebRequest | null;
  /** Whether a status is reported. The end of the call is always reported. */
  isReported: (status: CallStatus) => boolean;
  ringsAtMostMs: number;
}

export interface ApiResponse {
  status: number;
  contentType: string;
  body: string;
}

export interface Dialling {
  /** Path of requests that create calls. */
  path: RegExp;
  read(request: ApiRequest): { dialled: Dialled } | { refusal: ApiResponse };
  accepted(call: PhoneFacts): ApiResponse;
  hangUp: {
    method: ApiRequest['method'];
    /** The first group matches the account and the second one the id of the call. */
    path: RegExp;
    /** Null if the call may be hung up. */
    refusal(request: ApiRequest): ApiResponse | null;
    done(call: PhoneFacts): ApiResponse;
  };
}

/** The state of an open stream. */
export interface StreamFacts {
  streamId: string;
  call: PhoneFacts;
  order: StreamOrder;
  /** Milliseconds since the start of the stream. */
  nowMs: number;
  /** Sequence number of the next message, from 1. */
  sequence(): number;
}

/** A message from the service on a stream. */
export type StreamMessage =
  | { kind: 'audio'; payload: Buffer }
  | { kind: 'mark'; name: string }
  | { kind: 'clear' }
  | { kind: 'digits'; digits: string };

/** The messages of a provider on a stream socket. */
export interface StreamProtocol {
  /** Length of audio in each media message of the provider. */
  chunkMs: number;
  opening(stream: StreamFacts): object[];
  media(stream: StreamFacts, chunk: number, payload: string): object;
  digit(stream: StreamFacts, digit: string): object;
  played(stream: StreamFacts, mark: string): object;
  /** Message when the person hangs up; null if the provider closes the socket without a message. */
  stop(stream: StreamFacts): object | null;
  /** Messages after a clear. `marks`: marks that were not reached, as they were sent. */
  cleared(stream: StreamFacts, marks: readonly string[]): object[];
  /** Parses a message. Throws a ProtocolError if the provider does not document it. */
  read(message: unknown, stream: StreamFacts): StreamMessage;
}

/** A stand-in for a provider according to its documentation. */
export interface ProviderStandIn {
  name: TelephonyDialect;
  newCallId(): string;
  newStreamId(): string;
  /** Null if the service does not dial through this provider. */
  dialling: Dialling | null;
  /** Parses call XML. Throws a ProtocolError for XML that the provider would reject. */
  verbsOf(response: XmlElement): Verb[];
  /** Form parameters of a webhook request. */
  parametersOf(call: PhoneFacts, happening: Happening): Record<string, string>;
  /** Headers that authenticate a webhook request. */
  signed(request: WebRequest, form: URLSearchParams): Record<string, string>;
  stream: StreamProtocol;
}

export function methodOf(value: unknown): 'GET' | 'POST' {
  return value === 'GET' ? 'GET' : 'POST';
}

/** Returns the value if it is a non-empty string, otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function json(status: number, body: object): ApiResponse {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

/** Whether the header contains this name and password (HTTP Basic authentication). */
export function isBasic(authorization: string, name: string, password: string): boolean {
  return authorization === `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
