import { randomBytes } from 'node:crypto';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import type { ProviderKeys } from './accounts.ts';
import { onlyChild, requireAttributes, type XmlElement } from './call-xml.ts';
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
  type PhoneFacts,
  type ProviderStandIn,
  type StreamFormat,
  type StreamProtocol,
  type Verb,
} from './provider.ts';
import { messageReader } from './stream-messages.ts';

const PCMU: StreamFormat = { encoding: 'pcmu', sampleRateHz: 8000 };

const readMessage = messageReader('streamSid');

/** Twilio: Programmable Voice API, TwiML and Media Streams. */
export function twilio({ accounts: { telephony1: account } }: ProviderKeys): ProviderStandIn {
  const { accountSid, authToken } = account;
  const accountRefusal = ({ authorization, path }: ApiRequest): ApiResponse | null => {
    if (!isBasic(authorization, accountSid, authToken)) return refused(401, 20003, 'Authenticate');
    return path.includes(`/${accountSid}/`)
      ? null
      : refused(404, 20404, `The requested resource ${path} was not found`);
  };
  const view = (call: PhoneFacts): object => ({
    sid: call.callId,
    account_sid: accountSid,
    to: call.to,
    from: call.from,
    direction: 'outbound-api',
    api_version: '2010-04-01',
    uri: `/2010-04-01/Accounts/${accountSid}/Calls/${call.callId}.json`,
  });
  return {
    name: 'telephony1',
    newCallId: () => newSid('CA'),
    newStreamId: () => newSid('MZ'),
    dialling: {
      path: /^\/2010-04-01\/Accounts\/([^/]+)\/Calls\.json$/u,
      read(request) {
        const refusal = accountRefusal(request);
        return refusal ? { refusal } : readCall(request);
      },
      accepted: (call) => json(201, { ...view(call), status: 'queued' }),
      hangUp: {
        method: 'POST',
        path: /^\/2010-04-01\/Accounts\/([^/]+)\/Calls\/([^/]+)\.json$/u,
        refusal(request) {
          const isStatus = ['canceled', 'completed'].includes(textOf(request.parameters['Status']) ?? '');
          return accountRefusal(request) ?? (isStatus ? null : refused(400, 21218, 'Invalid Status'));
        },
        done: (call) => json(200, { ...view(call), status: 'completed' }),
      },
    },
    verbsOf: ({ children }) => children.map(readTwiml),
    parametersOf: (call, happening) => ({
      AccountSid: accountSid,
      ApiVersion: '2010-04-01',
      CallSid: call.callId,
      CallStatus: call.status,
      Called: call.to,
      Caller: call.from,
      Direction: call.isOutgoing ? 'outbound-api' : 'inbound',
      From: call.from,
      To: call.to,
      ...(happening === 'status' && {
        CallbackSource: 'call-progress-events',
        Timestamp: new Date().toUTCString(),
        ...(call.status === 'completed' && { CallDuration: '1', Duration: '1' }),
      }),
    }),
    signed: ({ url }, form) => ({
      'x-twilio-signature': getExpectedTwilioSignature(authToken, url, Object.fromEntries(form)),
    }),
    stream: streamOf(accountSid),
  };
}

function refused(status: number, code: number, message: string): ApiResponse {
  const more = `https://www.twilio.com/docs/errors/${code}`;
  return json(status, { code, message, more_info: more, status });
}

function readCall({ parameters }: ApiRequest): { dialled: Dialled } | { refusal: ApiResponse } {
  const text = (name: string): string | undefined => textOf(parameters[name]);
  const [to, from, url] = [text('To'), text('From'), text('Url')];
  if (to === undefined) return { refusal: refused(400, 21201, "No 'To' number is specified") };
  if (from === undefined) return { refusal: refused(400, 21213, "No 'From' number is specified") };
  if (url === undefined || !URL.canParse(url)) return { refusal: refused(400, 21205, 'Url is not valid') };
  const status = text('StatusCallback');
  const events = [parameters['StatusCallbackEvent'] ?? ['completed']].flat();
  if (!events.every((event) => EVENTS.includes(event))) {
    return { refusal: refused(400, 21626, "Invalid 'StatusCallbackEvent'") };
  }
  return {
    dialled: {
      to,
      from,
      answer: { url, method: methodOf(text('Method')) },
      status: status === undefined ? null : { url: status, method: methodOf(text('StatusCallbackMethod')) },
      isReported: (state) =>
        (state === 'ringing' && events.includes('ringing')) ||
        (state === 'in-progress' && events.includes('answered')),
      ringsAtMostMs: Math.min(600, Number(text('Timeout') ?? 60)) * 1000,
    },
  };
}

const EVENTS: readonly unknown[] = ['initiated', 'ringing', 'answered', 'completed'];

const DIALLED = { number: 'Number', sip: 'Sip', inText: true };

function readTwiml(element: XmlElement): Verb {
  return readVerb(element, DIALLED, (other) => {
    if (other.name !== 'Connect') throw new ProtocolError(`unknown verb ${other.name}`);
    const stream = onlyChild(other, 'Stream');
    requireAttributes(stream, ['name', 'statusCallback', 'statusCallbackMethod', 'url']);
    const url = streamUrl(stream.attributes['url']);
    // Twilio does not pass query strings on.
    return { verb: 'stream', order: { url: url.replace(/\?.*$/u, ''), said: PCMU, played: PCMU } };
  });
}

function streamOf(accountSid: string): StreamProtocol {
  const callIds = (call: PhoneFacts): object => ({ accountSid, callSid: call.callId });
  return {
    chunkMs: 20,
    opening: (stream) => [
      { event: 'connected', protocol: 'Call', version: '1.0.0' },
      {
        event: 'start',
        sequenceNumber: String(stream.sequence()),
        start: {
          streamSid: stream.streamId,
          ...callIds(stream.call),
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          customParameters: {},
        },
        streamSid: stream.streamId,
      },
    ],
    media: (stream, chunk, payload) => ({
      event: 'media',
      sequenceNumber: String(stream.sequence()),
      media: { track: 'inbound', chunk: String(chunk), timestamp: String(Math.round(stream.nowMs)), payload },
      streamSid: stream.streamId,
    }),
    digit: (stream, digit) => ({
      event: 'dtmf',
      streamSid: stream.streamId,
      sequenceNumber: String(stream.sequence()),
      dtmf: { track: 'inbound_track', digit },
    }),
    played: (stream, name) => ({
      event: 'mark',
      sequenceNumber: String(stream.sequence()),
      streamSid: stream.streamId,
      mark: { name },
    }),
    stop: (stream) => ({
      event: 'stop',
      sequenceNumber: String(stream.sequence()),
      streamSid: stream.streamId,
      stop: callIds(stream.call),
    }),
    // Marks that were not reached are reported immediately.
    cleared(stream, marks) {
      return marks.map((name) => this.played(stream, name));
    },
    read: (message, stream) => readMessage(message, stream.streamId),
  };
}

function newSid(prefix: string): string {
  return `${prefix}${randomBytes(16).toString('hex')}`;
}
