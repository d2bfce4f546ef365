import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import type { XmlElement } from './call-xml.ts';

/** An invalid request that a real provider would reject. */
export class ProtocolError extends Error {}

/** How audio is in the payloads of a stream. L16 is little-endian. */
export interface StreamFormat {
  encoding: 'pcmu' | 'pcma' | 'l16';
  sampleRateHz: number;
}

/** A stream that a call is to be connected with. */
export interface StreamOrder {
  url: string;
  /** What the person says. */
  said: StreamFormat;
  /** What is played to the person. */
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

/** A phone call as the provider knows it. */
export interface PhoneFacts {
  callId: string;
  from: string;
  to: string;
  isOutgoing: boolean;
  status: CallStatus;
}

/** What the provider tells or asks by a request of its own. */
export type Happening = 'started' | 'redirected' | 'status';

/** A request to the provider's API. */
export interface ApiRequest {
  method: 'POST' | 'DELETE';
  path: string;
  authorization: string;
  /** Of a form or of JSON. */
  parameters: Readonly<Record<string, unknown>>;
}

/** A phone call that the provider was asked for. */
export interface Dialled {
  to: string;
  from: string;
  answer: WebRequest;
  status: WebRequest | null;
  /** Reported statuses; the end is always reported. */
  isToldOf: (status: CallStatus) => boolean;
  ringsAtMostMs: number;
}

export interface ApiAnswer {
  status: number;
  contentType: string;
  body: string;
}

export interface Dialling {
  /** Of the requests that create calls. */
  path: RegExp;
  read(request: ApiRequest): { dialled: Dialled } | { refusal: ApiAnswer };
  accepted(call: PhoneFacts): ApiAnswer;
  hangUp: {
    method: ApiRequest['method'];
    /** Its first group is the account, the second one the call, as the request for the call was answered. */
    path: RegExp;
    /** Null if the call may be hung up. */
    refusal(request: ApiRequest): ApiAnswer | null;
    done(call: PhoneFacts): ApiAnswer;
  };
}

/** A stream that is under way. */
export interface StreamFacts {
  streamId: string;
  call: PhoneFacts;
  order: StreamOrder;
  /** Since it began. */
  nowMs: number;
  /** Counts up from 1. */
  sequence(): number;
}

/** A message from the service on the stream. */
export type StreamMessage =
  | { kind: 'audio'; payload: Buffer }
  | { kind: 'mark'; name: string }
  | { kind: 'clear' }
  | { kind: 'digits'; digits: string };

/** The provider's messages on a stream's socket. */
export interface StreamProtocol {
  /** Of each message with audio that it sends. */
  chunkMs: number;
  opening(stream: StreamFacts): object[];
  media(stream: StreamFacts, chunk: number, payload: string): object;
  digit(stream: StreamFacts, digit: string): object;
  played(stream: StreamFacts, mark: string): object;
  /** Where the person hung up; null where the provider closes the socket without a word. */
  stop(stream: StreamFacts): object | null;
  /** After a clear, of marks that were not played; `marks` as they were sent. */
  cleared(stream: StreamFacts, marks: readonly string[]): object[];
  /** Throws a ProtocolError for what is not in the provider's documentation. */
  read(message: unknown, stream: StreamFacts): StreamMessage;
}

/** One provider, by its documentation. */
export interface ProviderStandIn {
  name: TelephonyDialect;
  newCallId(): string;
  newStreamId(): string;
  /** Null where it is not asked to dial. */
  dialling: Dialling | null;
  /** Throws a ProtocolError for what the provider doesn't obey. */
  verbsOf(response: XmlElement): Verb[];
  /** Of a form. */
  parametersOf(call: PhoneFacts, happening: Happening): Record<string, string>;
  /** Headers that authenticate a request. */
  signed(request: WebRequest, form: URLSearchParams): Record<string, string>;
  stream: StreamProtocol;
}

export function methodOf(value: unknown): 'GET' | 'POST' {
  return value === 'GET' ? 'GET' : 'POST';
}

/** Undefined for what is no text, or none at all. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function json(status: number, body: object): ApiAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

/** Whether the header has this name and password. */
export function isBasic(authorization: string, name: string, password: string): boolean {
  return authorization === `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
