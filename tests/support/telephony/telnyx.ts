import { randomBytes, sign } from 'node:crypto';
import type { ProviderKeys } from './accounts.ts';
import { onlyChild, requireAttributes, type XmlElement } from './call-xml.ts';
import { readVerb, streamUrl } from './common-verbs.ts';
import {
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
} from './provider.ts';
import { messageReader } from './stream-messages.ts';

/** Codec of most telephone networks. The stream uses it unless another codec is requested. */
const OF_THE_NETWORK: StreamFormat = { encoding: 'pcma', sampleRateHz: 8000 };
const TRANSCODED: Readonly<Record<string, StreamFormat>> = {
  PCMA: OF_THE_NETWORK,
  PCMU: { encoding: 'pcmu', sampleRateHz: 8000 },
};

const readMessage = messageReader(null);

/** Telnyx: TeXML API, TeXML and media streaming. */
export function telnyx({ accounts, signingKey }: ProviderKeys): ProviderStandIn {
  const { accountSid, apiKey, applicationSid } = accounts.telephony2;
  const accountRefusal = ({ authorization, path }: ApiRequest): ApiResponse | null => {
    if (authorization !== `Bearer ${apiKey}`) {
      const detail = 'Could not find any usable credentials in the request.';
      return refused(401, '10009', 'Authentication failed', detail);
    }
    return path.includes(`/${accountSid}/`)
      ? null
      : refused(404, '10005', 'Resource not found', 'The account was not found.');
  };
  return {
    name: 'telephony2',
    newCallId: () => `v3:${randomBytes(32).toString('base64url')}`,
    newStreamId: () => crypto.randomUUID(),
    dialling: {
      path: /^\/v2\/texml\/Accounts\/([^/]+)\/Calls$/u,
      read(request) {
        const refusal = accountRefusal(request);
        return refusal ? { refusal } : readCall(request, applicationSid);
      },
      accepted: (call) => json(200, { from: call.from, to: call.to, status: 'queued', sid: call.callId }),
      hangUp: {
        method: 'POST',
        path: /^\/v2\/texml\/Accounts\/([^/]+)\/Calls\/([^/]+)$/u,
        refusal(request) {
          const isEnd = textOf(request.parameters['Status']) === 'completed';
          return (
            accountRefusal(request) ??
            (isEnd ? null : refused(422, '10015', 'Bad Request', 'Must be completed.', 'Status'))
          );
        },
        done: (call) => json(200, { sid: call.callId, from: call.from, to: call.to, status: 'completed' }),
      },
    },
    verbsOf: ({ children }) => children.map(readTexml),
    parametersOf: (call, happening) => ({
      AccountSid: accountSid,
      CallSid: call.callId,
      CallSidLegacy: call.callId,
      CallStatus: call.status,
      From: call.from,
      To: call.to,
      ...(happening === 'status' && {
        CallbackSource: 'call-progress-events',
        HangupSource: 'callee',
        SequenceNumber: '0',
        Timestamp: new Date().toUTCString(),
      }),
    }),
    signed({ method }, form) {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const body = method === 'GET' ? '' : form.toString();
      const signature = sign(null, Buffer.from(`${timestamp}|${body}`), signingKey).toString('base64');
      return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature };
    },
    stream: streamOf(accountSid),
  };
}

function refused(status: number, code: string, title: string, detail: string, field?: string): ApiResponse {
  const source = field === undefined ? {} : { source: { pointer: `/${field}` } };
  return json(status, { errors: [{ code, title, detail, ...source }] });
}

function readCall(
  { parameters }: ApiRequest,
  applicationSid: string,
): { dialled: Dialled } | { refusal: ApiResponse } {
  const text = (name: string): string | undefined => textOf(parameters[name]);
  for (const field of ['ApplicationSid', 'To', 'From']) {
    if (text(field) === undefined) {
      return { refusal: refused(422, '10004', 'Missing required parameter', 'Is required.', field) };
    }
  }
  if (text('ApplicationSid') !== applicationSid) {
    return { refusal: refused(404, '10005', 'Resource not found', 'There is no such application.') };
  }
  const url = text('Url');
  if (url === undefined || !URL.canParse(url)) {
    return { refusal: refused(422, '10015', 'Bad Request', 'Is no URL.', 'Url') };
  }
  const timeoutS = Number(parameters['Timeout'] ?? 30);
  if (!(timeoutS >= 5 && timeoutS <= 120)) {
    return { refusal: refused(422, '10015', 'Bad Request', 'Must be from 5 to 120.', 'Timeout') };
  }
  const status = text('StatusCallback');
  const events = (text('StatusCallbackEvent') ?? 'completed').split(' ');
  return {
    dialled: {
      to: text('To') ?? '',
      from: text('From') ?? '',
      answer: { url, method: methodOf(parameters['UrlMethod']) },
      status:
        status === undefined ? null : { url: status, method: methodOf(parameters['StatusCallbackMethod']) },
      isReported: (state) =>
        (state === 'ringing' && events.includes('ringing')) ||
        (state === 'in-progress' && events.includes('answered')),
      ringsAtMostMs: timeoutS * 1000,
    },
  };
}

const DIALLED = { number: 'Number', sip: 'Sip', inText: true };
const STREAM_ATTRIBUTES = [
  'bidirectionalCodec',
  'bidirectionalMode',
  'bidirectionalSamplingRate',
  'codec',
  'name',
  'statusCallback',
  'statusCallbackMethod',
  'track',
  'url',
];

function readTexml(element: XmlElement): Verb {
  return readVerb(element, DIALLED, (other) => {
    if (other.name !== 'Connect') throw new ProtocolError(`unknown verb ${other.name}`);
    const stream = onlyChild(other, 'Stream');
    requireAttributes(stream, STREAM_ATTRIBUTES);
    const { url, track, codec, bidirectionalMode, bidirectionalCodec } = stream.attributes;
    if ((track ?? 'inbound_track') !== 'inbound_track') throw new ProtocolError(`invalid track ${track}`);
    if (bidirectionalMode !== 'rtp') {
      throw new ProtocolError('bidirectionalMode must be rtp: other modes play only MP3');
    }
    const played = TRANSCODED[bidirectionalCodec ?? 'PCMU'];
    if (!played) throw new ProtocolError(`this stand-in does not support ${bidirectionalCodec}`);
    const said = TRANSCODED[codec ?? ''] ?? OF_THE_NETWORK;
    return { verb: 'stream', order: { url: streamUrl(url), said, played } };
  });
}

function streamOf(accountSid: string): StreamProtocol {
  return {
    chunkMs: 20,
    opening: (stream) => [
      { event: 'connected', version: '1.0.0' },
      {
        event: 'start',
        sequence_number: String(stream.sequence()),
        start: {
          user_id: accountSid,
          call_control_id: stream.call.callId,
          call_session_id: crypto.randomUUID(),
          from: stream.call.from,
          to: stream.call.to,
          tags: [],
          client_state: null,
          custom_parameters: {},
          media_format: {
            encoding: stream.order.said.encoding.toUpperCase(),
            sample_rate: stream.order.said.sampleRateHz,
            channels: 1,
          },
        },
        stream_id: stream.streamId,
      },
    ],
    media: (stream, chunk, payload) => ({
      event: 'media',
      sequence_number: String(stream.sequence()),
      media: { track: 'inbound', chunk: String(chunk), timestamp: String(Math.round(stream.nowMs)), payload },
      stream_id: stream.streamId,
    }),
    digit: (stream, digit) => ({
      event: 'dtmf',
      stream_id: stream.streamId,
      occurred_at: new Date().toISOString(),
      sequence_number: String(stream.sequence()),
      dtmf: { digit },
    }),
    played: (stream, name) => ({
      event: 'mark',
      sequence_number: String(stream.sequence()),
      mark: { name },
      stream_id: stream.streamId,
    }),
    stop: (stream) => ({
      event: 'stop',
      sequence_number: String(stream.sequence()),
      stop: { user_id: accountSid, call_control_id: stream.call.callId },
      stream_id: stream.streamId,
    }),
    // Marks that were not reached are reported immediately.
    cleared(stream, marks) {
      return marks.map((name) => this.played(stream, name));
    },
    read(message, { streamId, order }) {
      const read = readMessage(message, streamId);
      if (read.kind === 'audio' && read.payload.length < (order.played.sampleRateHz * 20) / 1000) {
        throw new ProtocolError(`${read.payload.length} bytes of audio: less than 20 ms`);
      }
      return read;
    },
  };
}
