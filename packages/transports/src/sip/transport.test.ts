import { describe, expect, it } from '@jest/globals';
import { dtmfTones } from '@calls/audio/dtmf-tones';
import { encodeMuLaw } from '@calls/audio/g711';
import { readRtcpReports, writeRtcpReport } from '../rtp/rtcp-packet.ts';
import { readRtpPacket, writeRtpPacket } from '../rtp/rtp-packet.ts';
import { SrtpReceiver } from '../srtp/srtp-receiver.ts';
import { SrtpSender } from '../srtp/srtp-sender.ts';
import { negotiated, openTransport, PEER } from './testing/open-transport.ts';

const STRANGER = { address: '203.0.113.66', port: 7000 };

describe('SipTransport', () => {
  it('sends silence from the start, and emits received audio', async () => {
    const { clock, sent, transport, types, speak } = openTransport();
    await clock.advance(40);
    expect(sent.map(({ to }) => to)).toEqual([PEER, PEER]);
    expect(readRtpPacket(sent[0]!.packet)).toMatchObject({ payloadType: 0, marker: false });
    speak();
    await clock.advance(20);
    expect(types()).toEqual(['audio']);
    await transport.close('hangup');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not end while RTCP arrives from the peer', async () => {
    const { clock, hangUps, transport, read, speak } = openTransport();
    const rtcp = 72;
    for (let i = 0; i < 4; i += 1) {
      await clock.advance(20_000);
      speak(rtcp);
    }
    expect(hangUps).toEqual([]);
    await clock.advance(20_000);
    speak(rtcp, { ...PEER, address: '198.51.100.99' });
    await clock.advance(10_100);
    await read;
    expect(hangUps).toEqual(['connection_error']);
    await transport.close('hangup');
  });

  it('reports missing input while no packets arrive, and ends after the media timeout', async () => {
    const { clock, hangUps, port, events, types, read, speak } = openTransport();
    speak();
    await clock.advance(29_950);
    expect(new Set(types())).toEqual(new Set(['audio', 'input_missing']));
    speak();
    await clock.advance(29_950);
    expect(hangUps).toEqual([]);
    await clock.advance(150);
    await read;
    expect(events.at(-1)).toMatchObject({ type: 'closed', reason: 'connection_error' });
    expect(hangUps).toEqual(['connection_error']);
    expect(port.isClosed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports hold, ignores music and sends nothing then, and continues afterwards', async () => {
    const { clock, sent, hangUps, transport, events, types, speak } = openTransport();
    await clock.advance(20);
    transport.apply(negotiated('sendonly'));
    const before = sent.length;
    for (let i = 0; i < 10; i += 1) {
      speak();
      transport.write(new Int16Array(160).fill(1000));
      await clock.advance(20);
    }
    transport.apply(negotiated('inactive'));
    await clock.advance(600_000);
    expect(sent).toHaveLength(before);
    expect([events, hangUps]).toEqual([[{ type: 'hold', isOnHold: true }], []]);
    transport.apply(negotiated());
    await clock.advance(29_000);
    expect(hangUps).toEqual([]);
    speak();
    expect(sent.length).toBeGreaterThan(before + 1000);
    await clock.advance(0);
    expect(types().filter((type) => type === 'audio')).toHaveLength(1);
    expect(events).toContainEqual({ type: 'hold', isOnHold: false });
    await transport.close('hangup');
  });

  it('emits DTMF only for the payload type of the latest negotiation', async () => {
    const { clock, port, transport, types } = openTransport();
    const press = (payloadType: number, timestamp: number): void => {
      const bytes = Buffer.alloc(16);
      const payload = Uint8Array.of(5, 10, 0, 160);
      writeRtpPacket(
        { marker: true, payloadType, sequenceNumber: timestamp, timestamp, ssrc: 1, payload },
        bytes,
      );
      port.onPacket?.(bytes, PEER);
    };
    press(101, 1);
    transport.apply(negotiated('sendrecv', 96));
    press(96, 1000);
    press(101, 2000);
    await clock.advance(0);
    expect(types()).toEqual(['dtmf', 'dtmf']);
    await transport.close('hangup');
  });

  it('emits keys of tones if the peer describes no telephone events, until it sends keys in another way', async () => {
    const { clock, transport, events, speak } = openTransport(negotiated('sendrecv', null));
    const press = async (keys: string): Promise<void> => {
      const tones = dtmfTones(keys, 8000);
      for (let at = 0; at < tones.length; at += 160) {
        speak(0, PEER, undefined, tones.subarray(at, at + 160));
        await clock.advance(20);
      }
    };
    const keys = (): string => events.flatMap((each) => (each.type === 'dtmf' ? [each.digit] : [])).join('');
    await press('12#');
    expect(keys()).toBe('12#');
    // The phone reports the same key again in the signalling.
    transport.keyPressed('#');
    transport.keyPressed('#');
    await press('4');
    await clock.advance(1);
    expect(keys()).toBe('12##');
    await transport.close('hangup');
  });

  it('emits no keys of tones if telephone events are described, or after it was to play tones itself', async () => {
    for (const telephoneEvent of [101, null]) {
      const { clock, transport, types, speak } = openTransport(negotiated('sendrecv', telephoneEvent));
      transport.sendDigits('1');
      const tones = dtmfTones('1', 8000);
      for (let at = 0; at < tones.length; at += 160) {
        speak(0, PEER, undefined, tones.subarray(at, at + 160));
        await clock.advance(20);
      }
      expect(new Set(types())).toEqual(new Set(['audio']));
      await transport.close('hangup');
    }
  });

  it('counts malformed packets and those of other sources, ignores RTCP, and limits a flood', async () => {
    const { clock, samples, transport, port, types, speak } = openTransport();
    speak();
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(11, 0x80), Buffer.alloc(2000, 0xff)]) {
      port.onPacket?.(bytes, PEER);
    }
    port.onPacket?.(Buffer.from([0x80, 200, 0, 6, 0, 0, 0, 1, 0, 0, 0, 0]), PEER);
    for (let i = 0; i < 7; i += 1) speak(0, STRANGER);
    await clock.advance(5000);
    expect(samples).toMatchObject([{ packets: 1, malformed: 3, stray: 7, lost: 0 }]);
    for (let i = 0; i < 2000; i += 1) port.onPacket?.(Buffer.alloc(1), STRANGER);
    await transport.close('hangup');
    expect(samples[1]?.malformed).toBeGreaterThan(400);
    expect(samples[1]?.malformed).toBeLessThan(600);
    expect(types().filter((type) => type === 'audio')).toHaveLength(1);
  });

  it('encrypts, drops unencrypted packets, and keeps its SRTP counters until the keys change', async () => {
    const key = (fill: number) => ({
      suite: 'AES_CM_128_HMAC_SHA1_80' as const,
      master: new Uint8Array(30).fill(fill),
    });
    const keys = { type: 'sdes', tag: 1, send: key(1), receive: key(2) } as const;
    const { clock, sent, samples, transport, types, speak, rtp } = openTransport();
    rtp.apply({ type: 'encryption', encryption: keys });
    const sender = new SrtpSender(key(2));
    speak(0, PEER, sender);
    speak(0, PEER);
    speak(0, STRANGER);
    await clock.advance(20);
    const receiver = new SrtpReceiver(key(1));
    expect(readRtpPacket(sent[0]!.packet)?.payload).toHaveLength(170);
    expect(receiver.unprotectRtp(sent[0]!.packet)).toHaveLength(172);
    rtp.apply({ type: 'encryption', encryption: { ...keys, receive: key(2) } });
    speak(0, PEER, sender);
    rtp.apply({ type: 'encryption', encryption: { ...keys, receive: key(3) } });
    speak(0, PEER, sender);
    speak(0, PEER, new SrtpSender(key(3)));
    await clock.advance(5000);
    expect(receiver.unprotectRtp(sent.at(-1)!.packet)).toHaveLength(172);
    expect(types()).toContain('audio');
    expect(samples).toMatchObject([{ packets: 3, unauthenticated: 3, stray: 0, malformed: 0 }]);
    rtp.apply({ type: 'encryption', encryption: null });
    await clock.advance(20);
    expect(readRtpPacket(sent.at(-1)!.packet)?.payload).toHaveLength(160);
    await transport.close('hangup');
  });

  it('lets the phone play the last sent audio before it hangs up', async () => {
    const { clock, hangUps, port, transport } = openTransport();
    transport.write(new Int16Array(160).fill(1000));
    await clock.advance(30);
    const closed = transport.close('agent_hangup');
    expect(port.isClosed).toBe(true);
    await clock.advance(100);
    expect(hangUps).toEqual([]);
    await clock.advance(10);
    await closed;
    expect(hangUps).toEqual(['agent_hangup']);
  });

  it('hangs up once, and not after the peer has hung up', async () => {
    const closed = openTransport();
    await Promise.all([closed.transport.close('timeout'), closed.transport.close('hangup')]);
    closed.transport.ended('local');
    await closed.transport[Symbol.asyncDispose]();
    expect(closed.hangUps).toEqual(['timeout']);
    expect(closed.port.isClosed).toBe(true);

    const left = openTransport();
    left.transport.ended('remote');
    left.transport.ended('lost');
    await left.transport.close('hangup');
    await left.read;
    expect(left.hangUps).toEqual([]);
    expect(left.events).toMatchObject([{ type: 'closed', reason: 'hangup' }]);

    const lost = openTransport();
    lost.transport.ended('lost');
    await lost.read;
    expect(lost.events).toMatchObject([{ type: 'closed', reason: 'connection_error' }]);
  });

  it('sends digits as telephone events in place of audio when the peer supports them', async () => {
    const { clock, sent, transport } = openTransport();
    expect(transport.sendDigits('7')).toBe(true);
    transport.write(new Int16Array(160).fill(1000));
    await clock.advance(400);
    const types = sent.map(({ packet }) => readRtpPacket(packet)?.payloadType);
    expect(types.slice(0, 12)).toEqual([...Array.from({ length: 7 }, () => 101), 0, 0, 0, 0, 0]);
    const timestamps = sent.map(({ packet }) => readRtpPacket(packet)?.timestamp ?? 0);
    expect(new Set(timestamps.slice(0, 7)).size).toBe(1);
    expect((timestamps[7] ?? 0) - (timestamps[0] ?? 0)).toBe(7 * 160);
    // Audio that was written during the digit is sent after it.
    expect(
      sent.findIndex(
        ({ packet }) => readRtpPacket(packet)?.payload[0] === encodeMuLaw(Int16Array.of(1000))[0],
      ),
    ).toBe(11);
    transport.apply(negotiated('sendrecv', null));
    expect(transport.sendDigits('7')).toBe(false);
    transport.apply(negotiated('sendonly'));
    expect(transport.sendDigits('7')).toBe(false);
    await transport.close('hangup');
  });

  it('sends RTCP reports, measures the reports of the peer, and sends BYE at the end', async () => {
    const { clock, sent, samples, transport, port, rtp } = openTransport();
    rtp.apply({ type: 'rtcp', address: null, isMuxed: true });
    const reports = () =>
      sent.map(({ packet }) => readRtcpReports(packet)).filter(({ length }) => length > 0);
    await clock.advance(1600);
    const [own] = reports().flat();
    expect(own?.sender?.packets).toBeGreaterThan(20);
    const block = {
      ssrc: own!.ssrc,
      fractionLost: 0,
      lost: 4,
      highest: 0,
      jitter: 80,
      lastReport: 0,
      delay: 0,
    };
    port.onPacket?.(writeRtcpReport({ ssrc: 5, sender: null, blocks: [block] }, 'phone', false), PEER);
    await clock.advance(4000);
    expect(samples).toMatchObject([{ sentLost: 4, peer: { jitterMs: 10, roundTripMs: null } }]);
    expect(transport.statistics()).toMatchObject({ remotePacketsLost: 4, remoteJitterMs: 10 });
    await transport.close('hangup');
    expect(sent.at(-1)?.packet.subarray(-8, -6)).toEqual(Buffer.from([0x81, 203]));
  });

  it('returns the statistics of the whole call, also after its end', async () => {
    const { clock, transport, port, speak, sent } = openTransport();
    expect(transport.statistics()).toBeNull();
    await clock.advance(100);
    for (let i = 0; i < 3; i += 1) speak();
    const other = negotiated('sendrecv', 97);
    transport.apply({
      ...other,
      receives: { ...other.receives, voices: new Map([[8, 'PCMA']]) },
      codec: 'PCMA',
    });
    for (let i = 0; i < 2; i += 1) speak(8);
    port.onPacket?.(Buffer.from('not RTP'), PEER);
    await transport.close('hangup');
    const packetsSent = sent.filter(({ packet }) => readRtpPacket(packet)?.payloadType === 0).length;
    expect(transport.statistics()).toEqual({
      codec: 'PCMA',
      packetsSent,
      bytesSent: packetsSent * 160,
      packetsReceived: 5,
      bytesReceived: 800,
      packetsLost: 0,
      jitterMs: expect.any(Number),
      remotePacketsLost: null,
      remoteJitterMs: null,
      roundTripMs: null,
    });
  });

  it('transfers the peer to another target until the call is closed', async () => {
    const { transport, transfers } = openTransport();
    expect(await transport.transfer('sip:desk@example.test')).toBe(true);
    await transport.close('agent_hangup');
    expect(await transport.transfer('sip:other@example.test')).toBe(false);
    expect(transfers).toEqual(['sip:desk@example.test']);
  });

  it('accepts and sends nothing after its end', async () => {
    const { clock, sent, transport, types, speak } = openTransport();
    await transport.close('hangup');
    transport.write(new Int16Array(160));
    transport.clear();
    transport.send();
    transport.apply(negotiated('inactive'));
    speak();
    await clock.advance(60_000);
    expect([sent, types()]).toEqual([[], ['closed']]);
  });
});
