import { createHmac, randomInt } from 'node:crypto';
import { compileValidator } from '@calls/foundation/schema/validator';
import { validateV3Signature } from 'plivo/dist/utils/v3Security.js';
import { Type } from 'typebox';
import type { ProviderKeys } from './accounts.ts';
import { requireAttributes, type XmlElement } from './call-xml.ts';
import { readVerb, streamUrl } from './common-verbs.ts';
import {
  isBasic,
  json,
  methodOf,
  ProtocolError,
  textOf,
  type ApiResponse,
  type ApiRequest,
  type Dialled,
  type ProviderStandIn,
  type StreamFormat,
  type StreamProtocol,
  type Verb,
  type WebRequest,
} from './provider.ts';
import { checked } from './stream-messages.ts';

const FORMATS: Readonly<Record<string, StreamFormat>> = {
  'audio/x-l16;rate=8000': { encoding: 'l16', sampleRateHz: 8000 },
  'audio/x-l16;rate=16000': { encoding: 'l16', sampleRateHz: 16_000 },
  'audio/x-mulaw;rate=8000': { encoding: 'pcmu', sampleRateHz: 8000 },
};

const Message = compileValidator(
  'message',
  Type.Union([
    Type.Object({
      event: Type.Literal('playAudio'),
      media: Type.Object({
        contentType: Type.String(),
        sampleRate: Type.Integer(),
        payload: Type.String({ minLength: 4, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
      }),
    }),
    Type.Object({ event: Type.Literal('checkpoint'), streamId: Type.String(), name: Type.String() }),
    Type.Object({ event: Type.Literal('clearAudio'), streamId: Type.String() }),
    Type.Object({ event: Type.Literal('sendDTMF'), dtmf: Type.String({ pattern: '^[0-9A-D*#]+$' }) }),
  ]),
);

/** Plivo: Voice API, Plivo XML and audio streaming. */
export function plivo({ accounts: { telephony3: account } }: ProviderKeys): ProviderStandIn {
  const { authId, authToken } = account;
  const accountRefusal = ({ authorization, path }: ApiRequest): ApiResponse | null => {
    if (!isBasic(authorization, authId, authToken)) {
      const body =
        'Could not verify your access level for that URL.\nYou have to login with proper credentials';
      return { status: 401, contentType: 'text/html; charset=utf-8', body };
    }
    return path.includes(`/${authId}/`) ? null : refused(404, 'not found');
  };
  return {
    name: 'telephony3',
    newCallId: () => crypto.randomUUID(),
    newStreamId: () => crypto.randomUUID(),
    dialling: {
      path: /^\/v1\/Account\/([^/]+)\/Call\/$/u,
      read(request) {
        const refusal = accountRefusal(request);
        return refusal ? { refusal } : readCall(request);
      },
      accepted: (call) =>
        json(201, { api_id: crypto.randomUUID(), message: 'call fired', request_uuid: call.callId }),
      hangUp: {
        method: 'DELETE',
        path: /^\/v1\/Account\/([^/]+)\/Request\/([^/]+)\/$/u,
        refusal: accountRefusal,
        done: () => ({ status: 204, contentType: 'application/json', body: '' }),
      },
    },
    verbsOf: ({ children }) => children.map(readElement),
    parametersOf: (call, happening) => ({
      CallUUID: call.callId,
      CallStatus: call.status,
      Direction: call.isOutgoing ? 'outbound' : 'inbound',
      Event: { started: 'StartApp', redirected: 'Redirect', status: eventOf(call.status) }[happening],
      From: call.from.replace('+', ''),
      To: call.to.replace('+', ''),
      ...(call.isOutgoing && {
        ALegRequestUUID: call.callId,
        ALegUUID: call.callId,
        RequestUUID: call.callId,
      }),
      ...(eventOf(call.status) === 'Hangup' && {
        Duration: '1',
        BillDuration: '60',
        HangupCause: call.status === 'completed' ? 'NORMAL_CLEARING' : 'USER_BUSY',
      }),
    }),
    signed: (request, form) => signedV3(request, form, authToken),
    stream: streamOf(authId),
  };
}

function eventOf(status: string): string {
  return { ringing: 'Ring', 'in-progress': 'StartApp' }[status] ?? 'Hangup';
}

/** Signature version 3: URL, sorted query, sorted form and a nonce. */
function signedV3({ url, method }: WebRequest, form: URLSearchParams, authToken: string) {
  const { origin, pathname, searchParams } = new URL(url);
  const ordered = (parameters: URLSearchParams, mark: string, between: string): string =>
    [...parameters.keys()]
      .sort()
      .map((name) => `${name}${mark}${parameters.get(name)}`)
      .join(between);
  const query = ordered(searchParams, '=', '&');
  const sent = method === 'GET' ? '' : ordered(form, '', '');
  const address = `${origin}${pathname}${query || sent ? '?' : ''}${query}${query && sent ? '.' : ''}${sent}`;
  const nonce = String(randomInt(2 ** 47));
  const signature = createHmac('sha256', authToken).update(`${address}.${nonce}`).digest('base64');
  const parameters = method === 'GET' ? {} : Object.fromEntries(form);
  if (!validateV3Signature(method, url, nonce, authToken, signature, parameters)) {
    throw new Error('the library of the vendor rejects the signature of this stand-in');
  }
  return { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce };
}

function refused(status: number, error: string): ApiResponse {
  return json(status, { api_id: crypto.randomUUID(), error });
}

function readCall({ parameters }: ApiRequest): { dialled: Dialled } | { refusal: ApiResponse } {
  const text = (name: string): string | undefined => textOf(parameters[name]);
  const [to, from, url] = [text('to'), text('from'), text('answer_url')];
  if (to === undefined) return { refusal: refused(400, 'to parameter not present') };
  if (from === undefined) return { refusal: refused(400, 'from parameter not present') };
  if (url === undefined || !URL.canParse(url)) {
    return { refusal: refused(400, 'answer_url parameter is not a valid URL') };
  }
  const answer = { url, method: methodOf(parameters['answer_method']) };
  const hangup = text('hangup_url');
  return {
    dialled: {
      to,
      from,
      answer,
      // Hang-ups are reported to the answer URL by default.
      status: hangup === undefined ? answer : { url: hangup, method: methodOf(parameters['hangup_method']) },
      isReported: () => false,
      ringsAtMostMs: Number(parameters['ring_timeout'] ?? 120) * 1000,
    },
  };
}

const DIALLED = { number: 'Number', sip: 'User', inText: false };
const STREAM_ATTRIBUTES = [
  'audioTrack',
  'bidirectional',
  'contentType',
  'extraHeaders',
  'keepCallAlive',
  'statusCallbackMethod',
  'statusCallbackUrl',
  'streamTimeout',
];

function readElement(element: XmlElement): Verb {
  return readVerb(element, DIALLED, (other) => {
    if (other.name !== 'Stream') throw new ProtocolError(`unknown element ${other.name}`);
    requireAttributes(other, STREAM_ATTRIBUTES);
    const { bidirectional, keepCallAlive, audioTrack, contentType } = other.attributes;
    if (bidirectional !== 'true') throw new ProtocolError('bidirectional must be true');
    if (keepCallAlive !== 'true') throw new ProtocolError('keepCallAlive must be true');
    if ((audioTrack ?? 'inbound') !== 'inbound') throw new ProtocolError(`invalid audioTrack ${audioTrack}`);
    const format = FORMATS[contentType ?? 'audio/x-l16;rate=8000'];
    if (!format) throw new ProtocolError(`invalid contentType ${contentType}`);
    return { verb: 'stream', order: { url: streamUrl(other.text), said: format, played: format } };
  });
}

function streamOf(accountId: string): StreamProtocol {
  const contentType = ({ encoding }: StreamFormat): string =>
    encoding === 'l16' ? 'audio/x-l16' : 'audio/x-mulaw';
  return {
    chunkMs: 20,
    opening: (stream) => [
      {
        sequenceNumber: stream.sequence(),
        event: 'start',
        start: {
          callId: stream.call.callId,
          streamId: stream.streamId,
          accountId,
          tracks: ['inbound'],
          mediaFormat: {
            encoding: contentType(stream.order.said),
            sampleRate: stream.order.said.sampleRateHz,
          },
        },
        extra_headers: '{}',
      },
    ],
    media: (stream, chunk, payload) => ({
      sequenceNumber: stream.sequence(),
      streamId: stream.streamId,
      event: 'media',
      media: { track: 'inbound', timestamp: String(Date.now()), chunk, payload },
      extra_headers: '{}',
    }),
    digit: (stream, digit) => ({
      event: 'dtmf',
      sequenceNumber: stream.sequence(),
      streamId: stream.streamId,
      dtmf: { track: 'inbound', digit, timestamp: String(Date.now()) },
      extra_headers: '{}',
    }),
    played: (stream, name) => ({
      event: 'playedStream',
      sequenceNumber: stream.sequence(),
      streamId: stream.streamId,
      name,
    }),
    stop: () => null,
    // Checkpoints that were not reached are never reported.
    cleared: (stream) => [
      { sequenceNumber: stream.sequence(), event: 'clearedAudio', streamId: stream.streamId },
    ],
    read(message, { streamId, order: { played } }) {
      const read = checked(Message, message);
      if (read.event === 'playAudio') {
        const { media } = read;
        if (media.contentType !== contentType(played) || media.sampleRate !== played.sampleRateHz) {
          throw new ProtocolError(
            `${media.contentType} at ${media.sampleRate} Hz is not the format of the stream`,
          );
        }
        return { kind: 'audio', payload: Buffer.from(media.payload, 'base64') };
      }
      if (read.event === 'sendDTMF') return { kind: 'digits', digits: read.dtmf };
      if (read.streamId !== streamId)
        throw new ProtocolError(`a message for another stream: ${read.streamId}`);
      return read.event === 'checkpoint' ? { kind: 'mark', name: read.name } : { kind: 'clear' };
    },
  };
}
