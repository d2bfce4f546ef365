import { describe, expect, it } from '@jest/globals';
import type { StreamEvent, StreamStart } from '@calls/providers/telephony/dialect';
import {
  TELEPHONY_DIALECTS,
  type TelephonyDialect,
  DIALECTS,
} from '@calls/providers/telephony/telephony-vendors';
import { MAX_STREAM_FRAME_BYTES, readStreamEvent } from './open-telephony-transport.ts';
import { PROVIDER_FRAMES } from './testing/provider-frames.ts';

function read(kind: TelephonyDialect, frame: object | string): StreamEvent {
  const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
  return readStreamEvent(DIALECTS[kind], Buffer.from(text));
}

function startOf(kind: TelephonyDialect, frame: object = PROVIDER_FRAMES[kind].start): StreamStart {
  const event = read(kind, frame);
  if (event.type !== 'start') throw new Error(JSON.stringify(event));
  return event.start;
}

/** The provider's start with another format. */
function startWith(kind: TelephonyDialect, format: object): object {
  const { start } = PROVIDER_FRAMES[kind];
  const { start: inner = {} } = start as { start?: object };
  const name = 'mediaFormat' in inner ? 'mediaFormat' : 'media_format';
  return { ...start, start: { ...inner, [name]: format } };
}

/** A frame as JSON with one of its strings replaced. */
function changed(frame: object, from: string, to: unknown): string {
  return JSON.stringify(frame).replace(JSON.stringify(from), JSON.stringify(to));
}

/** A frame with all fields except its event replaced. */
function mapped({ event, ...fields }: { event: string }, replace: () => unknown): object {
  return { event, ...Object.fromEntries(Object.keys(fields).map((name) => [name, replace()])) };
}

const MU_LAW = { encoding: 'mu_law', sampleRateHz: 8000 };
const A_LAW = { encoding: 'a_law', sampleRateHz: 8000 };
const G722 = { encoding: 'g722', sampleRateHz: 16_000 };
const linear = (sampleRateHz: number): object => ({ encoding: 'linear16', sampleRateHz });

describe.each(TELEPHONY_DIALECTS)('frames of %s', (kind) => {
  const { wanted, ...frames } = PROVIDER_FRAMES[kind];

  it('are read as stream events', () => {
    const chunk = kind === 'telephony2' && { chunk: 2 };
    expect(read(kind, frames.media('AAECAw=='))).toEqual({ type: 'audio', payload: 'AAECAw==', ...chunk });
    for (const digit of ['0', '9', '*', '#', 'A']) {
      expect(read(kind, frames.digit(digit))).toEqual({ type: 'dtmf', digit });
    }
    expect(read(kind, frames.digit('d'))).toEqual({ type: 'dtmf', digit: 'D' });
    expect(read(kind, frames.played('17'))).toEqual({ type: 'played', mark: '17' });
    expect(read(kind, frames.stop)).toEqual({ type: 'stop' });
  });

  it('are written as the provider documents them', () => {
    const writer = DIALECTS[kind].writes(startOf(kind));
    expect(JSON.parse(writer.audio('AAECAw=='))).toEqual(wanted.audio('AAECAw=='));
    expect(JSON.parse(writer.mark('17'))).toEqual(wanted.mark('17'));
    expect(JSON.parse(writer.clear())).toEqual(wanted.clear);
  });

  it('are written with the stream ID escaped', () => {
    const streamId = 'a"b\\c\u2028';
    const writer = DIALECTS[kind].writes({ ...startOf(kind), streamId });
    for (const text of [writer.audio('AA=='), writer.mark('1'), writer.clear()]) {
      const frame = JSON.parse(text) as Record<string, unknown>;
      const named = Object.entries(frame).find(([name]) => name.startsWith('stream'));
      if (named) expect(named[1]).toBe(streamId);
    }
  });

  it('of an unknown event are reported with the event name', () => {
    expect(read(kind, { event: 'dance' })).toEqual({ type: 'unknown', event: 'dance' });
    expect(read(kind, { event: 'toString' })).toEqual({ type: 'unknown', event: 'toString' });
    expect(read(kind, { event: 'x'.repeat(1000) })).toEqual({ type: 'unknown', event: 'x'.repeat(64) });
  });

  it.each([
    ['{', 'is not JSON'],
    ['', 'is not JSON'],
    ['null', 'has no event'],
    ['[]', 'has no event'],
    ['"start"', 'has no event'],
    ['{"event":7}', 'has no event'],
    [changed(frames.media('AA=='), 'AA==', 7), 'must be'],
    [changed(frames.digit('9'), '9', '12'), 'must match'],
    [changed(frames.digit('9'), '9', 9), 'must be'],
    [JSON.stringify({ event: frames.start.event }), `${frames.start.event}: `],
    [JSON.stringify(mapped(frames.start, () => null)), `${frames.start.event}: `],
  ])('are rejected with a reason when they are malformed: %s', (text, detail) => {
    const event = read(kind, text);
    expect(event).toMatchObject({ type: 'malformed', detail: expect.stringContaining(detail) });
  });

  it('are rejected with a short reason when they are too large', () => {
    const huge = read(kind, frames.media('A'.repeat(MAX_STREAM_FRAME_BYTES)));
    expect(huge).toMatchObject({ type: 'malformed', detail: expect.stringContaining('the maximum is') });
    const wordy = read(kind, `{"event":"dtmf","dtmf":{"digit":"${'7'.repeat(100_000)}"}}`);
    if (wordy.type !== 'malformed') throw new Error(wordy.type);
    expect(wordy.detail.length).toBeLessThanOrEqual(500);
  });
});

describe('frames with a shared format', () => {
  it.each(['telephony1', 'telephony2', 'telephony4'] as const)(
    'of %s that announce the connection are read as other',
    (kind) => {
      const frame = { event: 'connected', protocol: 'Call', version: '1.0.0' };
      expect(read(kind, frame)).toEqual({ type: 'other' });
    },
  );

  it.each(['telephony1', 'telephony2', 'telephony3', 'telephony4'] as const)(
    'of %s are rejected with a reason when they are malformed',
    (kind) => {
      for (const [text, detail] of [
        ['{"event":"media"}', 'media: media is required'],
        ['{"event":"media","media":null}', 'media: media must be'],
        ['{"event":"media","media":{"payload":"AA==","track":{}}}', 'media: media.track must be'],
        ['{"event":"start","start":[]}', 'start'],
      ] as const) {
        expect(read(kind, text)).toMatchObject({
          type: 'malformed',
          detail: expect.stringContaining(detail),
        });
      }
    },
  );
});

describe('the outbound track', () => {
  it.each(['telephony1', 'telephony2', 'telephony3'] as const)(
    'of %s is not read as audio of the user',
    (kind) => {
      for (const track of ['outbound', 'outbound_track']) {
        expect(read(kind, PROVIDER_FRAMES[kind].media('AA==', track))).toEqual({ type: 'other' });
      }
    },
  );
});

describe('stream formats', () => {
  it.each<[TelephonyDialect, object, object, object]>([
    ['telephony1', { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }, MU_LAW, MU_LAW],
    ['telephony2', { encoding: 'PCMU', sample_rate: 8000, channels: 1 }, MU_LAW, MU_LAW],
    ['telephony2', { encoding: 'audio/x-mulaw', sample_rate: 8000, channels: 1 }, MU_LAW, MU_LAW],
    // The user's codec is that of the phone network; the agent's is the requested one.
    ['telephony2', { encoding: 'PCMA', sample_rate: 8000, channels: 1 }, A_LAW, MU_LAW],
    ['telephony2', { encoding: 'L16', sample_rate: 16_000, channels: 1 }, linear(16_000), linear(16_000)],
    ['telephony2', { encoding: 'G722', sample_rate: 8000, channels: 1 }, G722, MU_LAW],
    [
      'telephony2',
      { encoding: 'OPUS', sample_rate: 48_000 },
      { encoding: 'opus', sampleRateHz: 16_000 },
      MU_LAW,
    ],
    ['telephony3', { encoding: 'audio/x-l16', sampleRate: 16_000 }, linear(16_000), linear(16_000)],
    ['telephony3', { encoding: 'audio/x-l16', sampleRate: 8000 }, linear(8000), linear(8000)],
    ['telephony3', { encoding: 'audio/x-mulaw', sampleRate: 8000 }, MU_LAW, MU_LAW],
    ['telephony4', { encoding: 'audio/x-raw', sample_rate: '8000' }, linear(8000), linear(8000)],
    ['telephony4', { encoding: 'base64', sample_rate: 16_000 }, linear(16_000), linear(16_000)],
    ['telephony4', { encoding: 'raw/slin', sample_rate: '8000' }, linear(8000), linear(8000)],
    ['telephony4', { encoding: 'audio/x-mulaw', sample_rate: '8000' }, MU_LAW, MU_LAW],
  ])('of %s are read from the start message: %j', (kind, format, input, output) => {
    expect(startOf(kind, startWith(kind, format))).toMatchObject({ input, output });
  });

  it.each<[TelephonyDialect, object]>([
    ['telephony1', { encoding: 'audio/x-l16', sampleRate: 8000 }],
    ['telephony1', { encoding: 'audio/x-mulaw', sampleRate: 16_000 }],
    ['telephony2', { encoding: 'OPUS', sample_rate: 44_100 }],
    ['telephony2', { encoding: 'PCMU', sample_rate: 16_000 }],
    ['telephony2', { encoding: 'L16', sample_rate: 44_100 }],
    ['telephony2', { encoding: 'PCMU', sample_rate: 8000, channels: 2 }],
    ['telephony3', { encoding: 'audio/x-mulaw', sampleRate: 16_000 }],
    ['telephony4', { encoding: 'audio/x-raw', sample_rate: '44100' }],
    ['telephony4', { encoding: 'audio/x-mulaw', sample_rate: '16000' }],
    ['telephony4', { encoding: 'opus', sample_rate: '16000' }],
    ['telephony2', { encoding: 'AMR-WB', sample_rate: 16_000 }],
  ])('that %s does not support are rejected: %j', (kind, format) => {
    expect(read(kind, startWith(kind, format))).toMatchObject({ type: 'malformed' });
  });

  it.each<[object | null, object]>([
    [null, MU_LAW],
    [{ customer: '7' }, MU_LAW],
    [{ bidirectionalCodec: 'L16', bidirectionalSamplingRate: '16000' }, linear(16_000)],
    [{ bidirectionalCodec: 'PCMA' }, A_LAW],
    [{ bidirectionalCodec: 'G722' }, G722],
  ])('of the agent’s audio in telephony2 are read from the parameters %j', (parameters, output) => {
    const { start } = PROVIDER_FRAMES.telephony2;
    const inner = start['start'] as object;
    const frame = { ...start, start: { ...inner, custom_parameters: parameters } };
    expect(startOf('telephony2', frame)).toMatchObject({ input: MU_LAW, output });
  });

  it.each([
    { bidirectionalCodec: 'OPUS', bidirectionalSamplingRate: '16000' },
    { bidirectionalCodec: 'L16', bidirectionalSamplingRate: '44100' },
  ])('that the agent cannot send in telephony2 are rejected: %j', (parameters) => {
    const { start } = PROVIDER_FRAMES.telephony2;
    const frame = { ...start, start: { ...(start['start'] as object), custom_parameters: parameters } };
    expect(read('telephony2', frame)).toMatchObject({
      type: 'malformed',
      detail: expect.stringContaining(`bidirectionalCodec ${parameters.bidirectionalCodec} at`),
    });
  });

  it('default to 8 kHz linear PCM in telephony4', () => {
    const frame = { event: 'start', start: { stream_sid: 's' } };
    expect(startOf('telephony4', frame)).toMatchObject({ input: linear(8000), output: linear(8000) });
  });
});

it('readStreamEvent reports error events of telephony2 as malformed', () => {
  const error = {
    stream_id: 's',
    event: 'error',
    payload: { code: 100_003, title: 'invalid_media', detail: 'The media is not of the codec.' },
  };
  expect(read('telephony2', error)).toEqual({
    type: 'malformed',
    detail: 'stream event error: invalid_media: The media is not of the codec.',
  });
});
