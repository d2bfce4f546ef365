import { describe, expect, it } from '@jest/globals';
import { createOpusDecoder } from '@calls/audio/opus';
import { levelDbfs } from '@calls/audio/pcm';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import { readRtpPacket, type RtpPacket } from '../rtp/rtp-packet.ts';
import { telephoneEventPackets } from '../rtp/telephone-event.ts';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { AgentVoice } from './agent-voice.ts';
import { OWN_PAYLOAD_TYPES } from './codecs.ts';
import { InlineOpus } from '../opus/inline-opus.ts';
import { UserVoice } from './user-voice.ts';

const FRAME = Int16Array.from({ length: 480 }, (_, i) => Math.round(8000 * Math.sin((2 * Math.PI * i) / 48)));

const opus = new InlineOpus();
const onFault = (err: Error): never => {
  throw err;
};

/** The agent's packets, as they are sent. */
async function agent(clock: VirtualClock) {
  const packets: Buffer[] = [];
  // What is sent is valid only now.
  const send = (packet: Buffer): void => void packets.push(Buffer.from(packet));
  const voice = await AgentVoice.open({ opus, ssrc: 7, payloadType: 100, send, onFault, clock });
  return { voice, packets };
}

async function user(clock: VirtualClock) {
  const events: TransportEvent[] = [];
  const emit = (event: TransportEvent): void => void events.push(event);
  const voice = await UserVoice.open({ opus, payloadTypes: OWN_PAYLOAD_TYPES, emit, onFault, clock });
  return { voice, events };
}

function parsed(packets: readonly Buffer[]): RtpPacket[] {
  return packets.map((bytes) => readRtpPacket(bytes)).filter((packet) => packet !== null);
}

/** Milliseconds from the first packet's timestamp to each. */
function timesMs(packets: readonly Buffer[]): number[] {
  const read = parsed(packets);
  return read.map(({ timestamp }) => ((timestamp - (read[0]?.timestamp ?? 0)) >>> 0) / 48);
}

describe('AgentVoice', () => {
  it('sends what leads the clock as one spurt, and goes by the clock after a silence', async () => {
    const clock = new VirtualClock();
    const { voice, packets } = await agent(clock);
    await clock.advance(1000);
    voice.write(FRAME);
    voice.write(FRAME);
    await clock.advance(35);
    voice.write(FRAME);
    await clock.advance(500);
    voice.write(FRAME);
    expect(timesMs(packets)).toEqual([0, 20, 40, 535]);
    expect(parsed(packets).map(({ marker }) => marker)).toEqual([true, false, false, true]);
    const numbers = parsed(packets).map(({ sequenceNumber }) => sequenceNumber);
    expect(numbers.map((number) => (number - (numbers[0] ?? 0)) & 0xffff)).toEqual([0, 1, 2, 3]);
  });

  it('completes the end of an utterance with silence, and clears with three frames of it', async () => {
    const clock = new VirtualClock();
    const { voice, packets } = await agent(clock);
    voice.write(FRAME.subarray(0, 100));
    expect(packets).toHaveLength(1);
    voice.clear();
    expect(timesMs(packets)).toEqual([0, 20, 40, 60]);
    const decoder = await createOpusDecoder({ sampleRateHz: 16_000 });
    const levels = parsed(packets).map(({ payload }) => levelDbfs(decoder.decode(payload) ?? FRAME));
    expect(levels.at(-1)).toBeLessThan(-50);
  });
});

describe('UserVoice', () => {
  /** Packets with their arrival at 20 ms each; null: it doesn't come. */
  async function spoken(count: number): Promise<Buffer[]> {
    const clock = new VirtualClock();
    const { voice, packets } = await agent(clock);
    for (let i = 0; i < count; i += 1) {
      voice.write(FRAME);
      await clock.advance(20);
    }
    // The agent's and the user's payload type are the same.
    return packets;
  }

  const samplesOf = (events: readonly TransportEvent[]): number =>
    events.reduce((sum, event) => sum + (event.type === 'audio' ? event.samples.length : 0), 0);

  it('brings a packet that is lost back, from what the next one says of it or by concealment', async () => {
    const clock = new VirtualClock();
    const { voice, events } = await user(clock);
    for (const [i, packet] of (await spoken(20)).entries()) {
      if (i !== 10) voice.onRtp(packet);
      await clock.advance(20);
    }
    await clock.advance(200);
    expect(samplesOf(events)).toBe(20 * 320);
    expect(events.every(({ type }) => type === 'audio')).toBe(true);
    const { lost, recovered, concealed } = voice.statistics;
    expect([lost, recovered + concealed]).toEqual([1, 1]);
  });

  it('waits for one that comes late, and no longer', async () => {
    const clock = new VirtualClock();
    const { voice, events } = await user(clock);
    const [a, b, c] = (await spoken(3)) as [Buffer, Buffer, Buffer];
    voice.onRtp(a);
    voice.onRtp(c);
    expect(samplesOf(events)).toBe(320);
    await clock.advance(10);
    voice.onRtp(b);
    expect(samplesOf(events)).toBe(960);
    expect(voice.statistics.lost).toBe(0);
  });

  it('takes keys, each once, and says of a silence how long it was', async () => {
    const clock = new VirtualClock();
    const { voice, events } = await user(clock);
    const [first] = await spoken(1);
    voice.onRtp(first!);
    const { sequenceNumber, timestamp } = readRtpPacket(first!)!;
    const key = telephoneEventPackets({ digit: '5', durationMs: 60, intervalMs: 20, clockRateHz: 48_000 });
    for (const [i, { payload }] of key.entries()) {
      await clock.advance(20);
      const header = Buffer.alloc(12);
      header.writeUInt8(0x80, 0);
      header.writeUInt8(101, 1);
      header.writeUInt16BE((sequenceNumber + 1 + i) & 0xffff, 2);
      header.writeUInt32BE((timestamp + 960) >>> 0, 4);
      header.writeUInt32BE(7, 8);
      voice.onRtp(Buffer.concat([header, payload]));
    }
    expect(events.slice(1)).toEqual([{ type: 'dtmf', digit: '5' }]);
    for (let i = 0; i < 10; i += 1) {
      await clock.advance(100);
      voice.check(clock.nowMs());
    }
    const missingMs = events.map((event) => (event.type === 'input_missing' ? event.durationMs : 0));
    expect(missingMs.reduce((a, b) => a + b)).toBeGreaterThan(700);
  });

  it('takes any bytes, and nothing after its end', async () => {
    const clock = new VirtualClock();
    const { voice, events } = await user(clock);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(12),
      Buffer.from([0x80, 100, 0, 1]),
      Buffer.alloc(2000, 0xff),
    ]) {
      voice.onRtp(bytes);
    }
    voice.close();
    voice.close();
    for (const packet of await spoken(2)) voice.onRtp(packet);
    await clock.advance(1000);
    expect(samplesOf(events)).toBe(0);
  });
});
