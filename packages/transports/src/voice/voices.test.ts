import { describe, expect, it } from '@jest/globals';
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '@calls/audio/g711';
import { G722Decoder, G722Encoder } from '@calls/audio/g722';
import { concatSamples, levelDbfs } from '@calls/audio/pcm';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import { readRtpPacket, type RtpPacket } from '../rtp/rtp-packet.ts';
import { telephoneEventPackets } from '../rtp/telephone-event.ts';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { AgentVoice, type AgentVoiceOptions } from './agent-voice.ts';
import { InlineRtp } from '../rtp-thread/inline-rtp.ts';
import { UserVoice } from './user-voice.ts';
import type { VoiceCodec } from '../rtp/voice-codecs.ts';

const RATE_HZ = 8000;
const FRAME_SAMPLES = 160;
const PCMU = { payloadType: 0, codec: 'PCMU' } as const;

function frame(level: number, samples = FRAME_SAMPLES): Int16Array {
  return new Int16Array(samples).fill(level);
}

function raise(err: Error): never {
  throw err;
}

function agent(pauses: AgentVoiceOptions['pauses'] = 'silence') {
  const clock = new VirtualClock();
  const packets: RtpPacket[] = [];
  const send = (bytes: Buffer): void => {
    const packet = readRtpPacket(bytes);
    if (packet) packets.push(packet);
  };
  const rtp = new InlineRtp(clock).channel({ port: 4000, send, close: () => undefined, onPacket: null });
  rtp.apply({ type: 'signalled', address: { address: '192.0.2.10', port: 4000 } });
  const voice = new AgentVoice({ rtp, rateHz: RATE_HZ, opus: null, pauses, onError: raise, clock });
  voice.sendAs(PCMU);
  return { clock, rtp, voice, packets, levels: () => packets.map(({ payload }) => decodeMuLaw(payload)[0]) };
}

function differences(numbers: readonly number[], mask: number): number[] {
  return numbers.slice(1).map((number, i) => (number - (numbers[i] ?? 0)) & mask);
}

describe('AgentVoice', () => {
  it('sends a continuous stream of silence and speech with consecutive sequence numbers', async () => {
    const { clock, rtp, voice, packets, levels } = agent();
    await clock.advance(40);
    voice.write(frame(1000));
    voice.write(frame(2000));
    await clock.advance(80);
    expect(levels().map((level) => Math.round((level ?? 0) / 1000))).toEqual([0, 0, 1, 2, 0, 0]);
    expect(packets.map(({ marker }) => marker)).toEqual([false, false, true, false, false, false]);
    expect(packets.every(({ payload, payloadType }) => payload.length === 160 && payloadType === 0)).toBe(
      true,
    );
    expect(
      differences(
        packets.map(({ timestamp }) => timestamp),
        0x7fffffff,
      ),
    ).toEqual([160, 160, 160, 160, 160]);
    expect(
      differences(
        packets.map(({ sequenceNumber }) => sequenceNumber),
        0xffff,
      ),
    ).toEqual([1, 1, 1, 1, 1]);
    rtp.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends no packets in pauses when configured, and one frame in advance after them', async () => {
    const { clock, voice, packets } = agent('nothing');
    await clock.advance(40);
    for (const level of [1000, 2000, 3000, 4000]) voice.write(frame(level));
    const counts: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      expect(voice.lateMs).toBe(20);
      await clock.advance(20);
      counts.push(packets.length);
    }
    expect(counts).toEqual([2, 3, 4, 4, 4]);
    voice.write(frame(5000));
    await clock.advance(20);
    expect(voice.sentEndMs).toBe(clock.nowMs() + 20);
    const times = packets.map(({ timestamp }) => ((timestamp - (packets[0]?.timestamp ?? 0)) >>> 0) / 8);
    expect(times).toEqual([0, 20, 40, 60, 100]);
    expect(packets.map(({ marker }) => marker)).toEqual([true, false, false, false, true]);
  });

  it('retains no written array, and pads the end of an utterance with silence', async () => {
    const { clock, voice, packets } = agent();
    const reused = frame(4000);
    voice.write(reused);
    reused.fill(9);
    voice.write(frame(4000, 100));
    await clock.advance(40);
    const [first, second] = packets.map(({ payload }) => decodeMuLaw(payload));
    expect(first?.every((sample) => Math.abs(sample - 4000) < 100)).toBe(true);
    expect([second?.[99], second?.[100]].map((sample) => Math.round((sample ?? 0) / 1000))).toEqual([4, 0]);
  });

  it('drops only frames that are not sent yet when cleared', async () => {
    const { clock, voice, levels } = agent();
    for (const level of [1000, 2000, 3000]) voice.write(frame(level));
    await clock.advance(20);
    voice.clear();
    expect(voice.lateMs).toBe(0);
    await clock.advance(20);
    voice.write(frame(4000));
    await clock.advance(20);
    expect(levels().map((level) => Math.round((level ?? 0) / 1000))).toEqual([1, 0, 4]);
  });

  it('reports the delay between writing audio and its playout', async () => {
    const { clock, voice } = agent();
    await clock.advance(33);
    voice.write(frame(1000));
    expect(voice.lateMs).toBe(7);
    voice.write(frame(1000));
    expect(voice.lateMs).toBe(7);
    await clock.advance(200);
    expect(voice.lateMs).toBe(7);
  });

  it('changes its codec within the stream, and sends nothing while the peer does not receive', async () => {
    const { clock, voice, packets } = agent();
    await clock.advance(20);
    voice.sendAs({ payloadType: 8, codec: 'PCMA' });
    voice.write(frame(4000));
    await clock.advance(20);
    expect(packets.map(({ payloadType }) => payloadType)).toEqual([0, 8]);
    expect(decodeALaw(packets[1]!.payload)[0]).toBeCloseTo(4000, -3);
    voice.write(frame(1000));
    voice.sendAs(null);
    voice.write(frame(2000));
    await clock.advance(100);
    expect(packets).toHaveLength(2);
    voice.sendAs(PCMU);
    await clock.advance(20);
    expect(decodeMuLaw(packets[2]!.payload)[0]).toBe(0);
    // The silence in between advances the timestamps but not the sequence numbers.
    expect(
      differences(
        packets.map(({ timestamp }) => timestamp),
        0x7fffffff,
      ),
    ).toEqual([160, 960]);
    expect(
      differences(
        packets.map(({ sequenceNumber }) => sequenceNumber),
        0xffff,
      ),
    ).toEqual([1, 1]);
  });
});

describe('AgentVoice with other codecs', () => {
  /** An encoder that returns its packets later. Each contains the first sample of its frame. */
  function lateOpus() {
    const pending: (() => void)[] = [];
    const opus: OpusCodecs = {
      openEncoder: (rateHz, { onPacket }) =>
        Promise.resolve({
          frameSamples: rateHz / 50,
          encode: (samples) => {
            const payload = Uint8Array.of((samples[0] ?? 0) / 100);
            pending.push(() => onPacket(payload, 0));
          },
          expectLoss: () => undefined,
          [Symbol.dispose]: () => undefined,
        }),
      openDecoder: () => Promise.reject(new Error('not used')),
    };
    return { opus, encodeAll: () => pending.splice(0).forEach((answer) => answer()) };
  }

  async function opened(codec: VoiceCodec, rateHz: number) {
    const { clock, rtp, packets } = agent();
    const { opus, encodeAll } = lateOpus();
    const voice = new AgentVoice({ rtp, rateHz, opus, onError: raise, clock });
    voice.sendAs({ payloadType: 96, codec });
    await clock.advance(0);
    return { clock, voice, packets, encodeAll };
  }

  it('counts frames that are being encoded as late, and drops them when cleared', async () => {
    const { clock, voice, packets, encodeAll } = await opened('opus', 24_000);
    for (const level of [1000, 2000]) voice.write(frame(level, 480));
    expect(voice.lateMs).toBe(20);
    voice.clear();
    expect(voice.lateMs).toBe(0);
    voice.write(frame(3000, 480));
    encodeAll();
    await clock.advance(60);
    expect(packets.map(({ payload }) => payload.join())).toEqual(['30', '248,255,254', '248,255,254']);
    expect(packets.map(({ marker }) => marker)).toEqual([true, false, false]);
    expect(
      differences(
        packets.map(({ timestamp }) => timestamp),
        0x7fffffff,
      ),
    ).toEqual([960, 960]);
  });

  it('resamples audio for a codec with another rate, up to its end', async () => {
    const { clock, voice, packets } = await opened('G722', 8000);
    const tone = Int16Array.from({ length: 1650 }, (_, i) => Math.round(8000 * Math.sin(i / 3)));
    for (let at = 0; at < tone.length; at += 160) voice.write(tone.subarray(at, at + 160));
    await clock.advance(240);
    const silence = packets.at(-1)!.payload.join();
    expect(packets.filter(({ payload }) => payload.join() !== silence)).toHaveLength(11);
    const decoder = new G722Decoder();
    const decoded = concatSamples(packets.map(({ payload }) => decoder.decode(payload)));
    expect(Math.abs(levelDbfs(decoded.subarray(400, 3200)) - levelDbfs(tone))).toBeLessThan(1);
    expect(levelDbfs(decoded.subarray(-320))).toBeLessThan(-60);
  });
});

describe('UserVoice', () => {
  const TYPES = {
    voices: new Map([
      [0, 'PCMU'],
      [8, 'PCMA'],
    ] as const),
    telephoneEvents: new Map([[101, RATE_HZ]]),
  };

  function user(more: (readonly [number, VoiceCodec])[] = []) {
    const clock = new VirtualClock();
    const events: TransportEvent[] = [];
    const voice = new UserVoice({
      types: { ...TYPES, voices: new Map([...TYPES.voices, ...more]) },
      rateHz: RATE_HZ,
      opus: null,
      emit: (event) => void events.push(event),
      onError: raise,
      clock,
    });
    return { clock, voice, events };
  }

  function packet(index: number, fields: Partial<RtpPacket> = {}): RtpPacket {
    return {
      marker: false,
      payloadType: 0,
      sequenceNumber: (65_530 + index) & 0xffff,
      timestamp: (0xfffffe00 + index * FRAME_SAMPLES) >>> 0,
      ssrc: 7,
      payload: encodeMuLaw(frame(1000 * (index + 1))),
      ...fields,
    };
  }

  function received(events: readonly TransportEvent[]): (number | string)[] {
    return events.map((event) => {
      if (event.type === 'audio') return Math.round((event.samples[0] ?? 0) / 1000);
      if (event.type === 'input_missing') return `missing ${event.durationMs}`;
      return event.type === 'dtmf' ? event.digit : event.type;
    });
  }

  it('emits packets in order and once, in both G.711 laws and of any length', async () => {
    const { clock, voice, events } = user();
    voice.onRtp(packet(0));
    await clock.advance(20);
    voice.onRtp(packet(2, { payloadType: 8, payload: encodeALaw(frame(3000)) }));
    voice.onRtp(packet(1));
    voice.onRtp(packet(1));
    await clock.advance(40);
    voice.onRtp(packet(3, { payload: encodeMuLaw(frame(4000, 3 * FRAME_SAMPLES)) }));
    expect(received(events)).toEqual([1, 2, 3, 4]);
    expect(events.at(-1)).toMatchObject({ type: 'audio', samples: { length: 480 } });
    expect(voice.statistics).toMatchObject({ received: 5, lost: 0, duplicate: 1 });
  });

  it('conceals lost packets, and keeps the media time', async () => {
    const { clock, voice, events } = user();
    for (let i = 0; i < 20; i += 1) {
      if (i !== 5 && i !== 6) voice.onRtp(packet(i));
      await clock.advance(20);
      voice.check(clock.nowMs());
    }
    await clock.advance(200);
    const lengths = events.map((event) => (event.type === 'audio' ? event.samples.length : 0));
    expect(lengths.slice(4, 7)).toEqual([160, 320, 160]);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(20 * 160);
    expect(received(events).slice(0, 6)).toEqual([1, 2, 3, 4, 5, 5]);
    expect(voice.statistics).toMatchObject({ lost: 2, concealed: 2 });
  });

  it('reports time that the peer did not send as missing', async () => {
    const { clock, voice, events } = user();
    voice.onRtp(packet(0));
    await clock.advance(300);
    voice.onRtp(packet(1, { timestamp: packet(15).timestamp }));
    expect(received(events)).toEqual([1, 'missing 280', 2]);
  });

  it('resamples after a change of the codec, and continues its statistics', async () => {
    const { clock, voice, events } = user([[9, 'G722']]);
    const encoder = new G722Encoder();
    for (let i = 0; i < 10; i += 1) {
      voice.onRtp(packet(i, i < 5 ? {} : { payloadType: 9, payload: encoder.encode(frame(500, 320)) }));
      await clock.advance(20);
    }
    const lengths = events.map((event) => (event.type === 'audio' ? event.samples.length : 0));
    expect(lengths.slice(0, 5)).toEqual([160, 160, 160, 160, 160]);
    expect(lengths.slice(6)).toEqual([160, 160, 160, 160]);
    expect(voice.statistics).toMatchObject({ received: 10, lost: 0 });
  });

  it('emits a digit once although its marker and most of its packets are lost', async () => {
    const { clock, voice, events } = user();
    voice.onRtp(packet(0));
    const key = telephoneEventPackets({ digit: '#', durationMs: 120, intervalMs: 20, clockRateHz: 8000 });
    for (const [i, { payload }] of key.entries()) {
      await clock.advance(20);
      const { timestamp } = packet(1);
      if (i > 2) voice.onRtp(packet(1 + i, { payloadType: 101, payload, timestamp }));
    }
    expect(received(events).filter((what) => what === '#')).toEqual(['#']);
  });

  it('counts malformed audio packets and continues', () => {
    const { voice, events } = user();
    voice.onRtp(packet(0, { payload: new Uint8Array(0) }));
    voice.onRtp(packet(1, { payload: new Uint8Array(5000) }));
    voice.onRtp(packet(2, { payloadType: 13 }));
    voice.onRtp(packet(3));
    expect(received(events)).toEqual([4]);
    expect(voice.statistics.malformed).toBe(2);
  });

  it('emits nothing after it is closed', async () => {
    const { clock, voice, events } = user();
    voice.onRtp(packet(0));
    voice.onRtp(packet(2));
    voice.close();
    voice.onRtp(packet(1));
    await clock.advance(1000);
    expect(received(events)).toEqual([1]);
    expect(clock.pendingTimers).toBe(0);
  });
});
