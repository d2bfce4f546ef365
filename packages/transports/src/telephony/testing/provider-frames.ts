import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';

/** Frames that a provider sends according to its documentation, and how it receives audio. */
export interface ProviderFrames {
  /** Audio format of a stream that begins with `start`. */
  format: { rateHz: number; isMuLaw: boolean };
  start: { readonly event: string; readonly [field: string]: unknown };
  media(payload: string, track?: string): object;
  digit(digit: string): object;
  played(mark: string): object;
  stop: object;
  /** Frames that the service should send. */
  wanted: {
    audio(payload: string): object;
    mark(name: string): object;
    clear: object;
  };
}

const STREAM_SID = 'MZ18ad3ab5a668481ce02b83e7395059f0';
const CALL_SID = 'CA0e8d5a3f5d2c4d7a9b1c3e5f7a9b1c3e';
const ACCOUNT_SID = 'AC1e8d5a3f5d2c4d7a9b1c3e5f7a9b1c3e';
const STREAM_ID = '32de0dea-53cb-4b21-89a4-9e1819c043bc';
const STREAM_UUID = '20170ada-f610-433b-8758-c02a2aab3662';

/** Each provider's default stream format. */
export const PROVIDER_FRAMES: Readonly<Record<TelephonyDialect, ProviderFrames>> = {
  telephony1: {
    format: { rateHz: 8000, isMuLaw: true },
    start: {
      event: 'start',
      sequenceNumber: '1',
      start: {
        accountSid: ACCOUNT_SID,
        streamSid: STREAM_SID,
        callSid: CALL_SID,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: { FirstName: 'Jane' },
      },
      streamSid: STREAM_SID,
    },
    media: (payload, track = 'inbound') => ({
      event: 'media',
      sequenceNumber: '3',
      media: { track, chunk: '1', timestamp: '5', payload },
      streamSid: STREAM_SID,
    }),
    digit: (digit) => ({
      event: 'dtmf',
      streamSid: STREAM_SID,
      sequenceNumber: '5',
      dtmf: { track: 'inbound_track', digit },
    }),
    played: (name) => ({ event: 'mark', sequenceNumber: '4', streamSid: STREAM_SID, mark: { name } }),
    stop: {
      event: 'stop',
      sequenceNumber: '5',
      streamSid: STREAM_SID,
      stop: { accountSid: ACCOUNT_SID, callSid: CALL_SID },
    },
    wanted: {
      audio: (payload) => ({ event: 'media', streamSid: STREAM_SID, media: { payload } }),
      mark: (name) => ({ event: 'mark', streamSid: STREAM_SID, mark: { name } }),
      clear: { event: 'clear', streamSid: STREAM_SID },
    },
  },
  telephony2: {
    format: { rateHz: 8000, isMuLaw: true },
    start: {
      event: 'start',
      sequence_number: '1',
      start: {
        user_id: '3e6f995f-85f7-4705-9741-53b116d28237',
        call_control_id: 'v2:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ',
        client_state: 'aGF2ZSBhIG5pY2UgZGF5ID1d',
        media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
      },
      stream_id: STREAM_ID,
    },
    media: (payload, track = 'inbound') => ({
      event: 'media',
      sequence_number: '4',
      media: { track, chunk: '2', timestamp: '5', payload },
      stream_id: STREAM_ID,
    }),
    digit: (digit) => ({
      event: 'dtmf',
      stream_id: STREAM_ID,
      occurred_at: '2026-01-01T00:00:00.000000Z',
      sequence_number: '5',
      dtmf: { digit },
    }),
    played: (name) => ({ event: 'mark', sequence_number: '5', stream_id: STREAM_ID, mark: { name } }),
    stop: {
      event: 'stop',
      sequence_number: '5',
      stop: {
        user_id: '3e6f995f-85f7-4705-9741-53b116d28237',
        call_control_id: 'v2:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ',
      },
      stream_id: STREAM_ID,
    },
    wanted: {
      audio: (payload) => ({ event: 'media', media: { payload } }),
      mark: (name) => ({ event: 'mark', mark: { name } }),
      clear: { event: 'clear' },
    },
  },
  telephony3: {
    format: { rateHz: 16_000, isMuLaw: false },
    start: {
      sequenceNumber: 0,
      event: 'start',
      start: {
        callId: '12345678-1234-1234-1234-123456789abc',
        streamId: STREAM_UUID,
        accountId: 'MAXXXXXXXXXXXXXXXXXX',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-l16', sampleRate: 16_000 },
      },
      extra_headers: '{}',
    },
    media: (payload, track = 'inbound') => ({
      sequenceNumber: 2,
      streamId: STREAM_UUID,
      event: 'media',
      media: { track, timestamp: '1778597597091', chunk: 2, payload },
      extra_headers: '{}',
    }),
    digit: (digit) => ({
      event: 'dtmf',
      sequenceNumber: 3,
      streamId: STREAM_UUID,
      dtmf: { track: 'inbound', digit, timestamp: '1778597597091' },
      extra_headers: '{}',
    }),
    played: (name) => ({ event: 'playedStream', sequenceNumber: 4, streamId: STREAM_UUID, name }),
    stop: { event: 'stop', sequenceNumber: 5, streamId: STREAM_UUID },
    wanted: {
      audio: (payload) => ({
        event: 'playAudio',
        media: { contentType: 'audio/x-l16', sampleRate: 16_000, payload },
      }),
      mark: (name) => ({ event: 'checkpoint', streamId: STREAM_UUID, name }),
      clear: { event: 'clearAudio', streamId: STREAM_UUID },
    },
  },
  telephony4: {
    format: { rateHz: 8000, isMuLaw: false },
    start: {
      event: 'start',
      sequence_number: '1',
      stream_sid: STREAM_SID,
      start: {
        stream_sid: STREAM_SID,
        call_sid: CALL_SID,
        account_sid: ACCOUNT_SID,
        from: '+919876543210',
        to: '+918047491899',
        custom_parameters: { key1: 'value1' },
        media_format: { encoding: 'audio/x-raw', sample_rate: '8000', bit_rate: '16' },
      },
    },
    media: (payload) => ({
      event: 'media',
      sequence_number: '3',
      stream_sid: STREAM_SID,
      media: { chunk: '2', timestamp: '200', payload },
    }),
    digit: (digit) => ({
      event: 'dtmf',
      sequence_number: '7',
      stream_sid: STREAM_SID,
      dtmf: { digit, duration: '100' },
    }),
    played: (name) => ({
      event: 'mark',
      sequence_number: '15',
      stream_sid: STREAM_SID,
      mark: { name },
    }),
    stop: {
      event: 'stop',
      sequence_number: '20',
      stream_sid: STREAM_SID,
      stop: { call_sid: CALL_SID, account_sid: ACCOUNT_SID, reason: 'callended' },
    },
    wanted: {
      audio: (payload) => ({ event: 'media', stream_sid: STREAM_SID, media: { payload } }),
      mark: (name) => ({ event: 'mark', stream_sid: STREAM_SID, mark: { name } }),
      clear: { event: 'clear', stream_sid: STREAM_SID },
    },
  },
};
