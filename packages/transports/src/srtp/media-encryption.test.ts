import type { SipEncryption } from '@calls/api-contract/call-spec';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { SrtpReceiver } from './srtp-receiver.ts';
import { SrtpSender } from './srtp-sender.ts';
import { createSharedDtls } from '../dtls/dtls-media.ts';
import { InlineRtp } from '../rtp-thread/inline-rtp.ts';
import { LocalMediaKeys, readCryptoAttributes } from './media-encryption.ts';
import { isRefusal, readRemoteMedia } from '../sip/remote-media.ts';
import { RtpPorts } from '../rtp-thread/rtp-ports.ts';
import { SipMedia, type SipMediaSnapshot } from '../sip/sip-media.ts';

const HOST = '127.0.0.1';
const KEY = Buffer.alloc(30, 1).toString('base64');
const HEAD = ['v=0', `o=- 1 1 IN IP4 ${HOST}`, 's=-', `c=IN IP4 ${HOST}`, 't=0 0'];
const CRYPTO = `a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`;

function sdp(...sections: (readonly [profile: string, ...attributes: string[]])[]): string {
  const lines = sections.flatMap(([profile, ...attributes], i) => [
    `m=audio ${4000 + 2 * i} ${profile} 0`,
    ...attributes,
  ]);
  return `${[...HEAD, ...lines].join('\r\n')}\r\n`;
}

function crypto(suite: string, config: string, sessionConfig?: string) {
  return readCryptoAttributes([{ id: 7, suite, config, sessionConfig }]);
}

describe('readCryptoAttributes', () => {
  it('reads keys with and without a lifetime', () => {
    const master = Buffer.alloc(30, 1);
    for (const suffix of ['', '|2^31', '|1048576']) {
      expect(crypto('AES_CM_128_HMAC_SHA1_32', `inline:${KEY}${suffix}`)).toEqual([
        { tag: 7, keys: { suite: 'AES_CM_128_HMAC_SHA1_32', master } },
      ]);
    }
    const long = Buffer.alloc(44, 2);
    expect(crypto('AEAD_AES_256_GCM', `inline:${long.toString('base64')}`)).toMatchObject([
      { keys: { master: long } },
    ]);
  });

  it.each([
    ['an unknown suite', 'F8_128_HMAC_SHA1_80', `inline:${KEY}`, undefined],
    ['a key of the wrong length', 'AEAD_AES_256_GCM', `inline:${KEY}`, undefined],
    ['a master key identifier', 'AES_CM_128_HMAC_SHA1_80', `inline:${KEY}|2^20|1:4`, undefined],
    ['several keys', 'AES_CM_128_HMAC_SHA1_80', `inline:${KEY}|1:4;inline:${KEY}|2:4`, undefined],
    ['no key', 'AES_CM_128_HMAC_SHA1_80', 'inline:', undefined],
    ['session parameters', 'AES_CM_128_HMAC_SHA1_80', `inline:${KEY}`, 'UNENCRYPTED_SRTP'],
  ])('ignores %s', (_, suite, config, sessionConfig) => {
    expect(crypto(suite, config, sessionConfig)).toEqual([]);
  });
});

describe('readRemoteMedia with encryption', () => {
  const read = (text: string, encryption?: SipEncryption) =>
    readRemoteMedia(text, [HOST], encryption && { encryption });

  it('prefers the encrypted section', () => {
    const both = sdp(['RTP/AVP'], ['RTP/SAVP', CRYPTO]);
    expect(read(both)).toMatchObject({ audioIndex: 1, isSecureProfile: true, cryptos: [{ tag: 3 }] });
    expect(read(sdp(['RTP/AVP', CRYPTO]))).toMatchObject({ isSecureProfile: false, cryptos: [{ tag: 3 }] });
  });

  it('rejects unencrypted audio when encryption is required', () => {
    expect(read(sdp(['RTP/AVP']), 'required')).toMatchObject({
      status: 488,
      reason: 'The SDP has no audio with supported encryption (a=crypto), which is required',
    });
    expect(isRefusal(read(sdp(['RTP/SAVP', CRYPTO]), 'required'))).toBe(false);
  });

  it('rejects an answer with encrypted audio to an offer without', () => {
    expect(readRemoteMedia(sdp(['RTP/SAVP', CRYPTO]), [HOST], { keyExchanges: [] })).toMatchObject({
      status: 488,
      reason: 'The SDP has encrypted audio, which was not offered',
    });
  });
});

describe('LocalMediaKeys', () => {
  it('accepts only a tag of its own offer', () => {
    const keys = new LocalMediaKeys();
    const [first, second] = keys.offer();
    const receive = { suite: second!.keys.suite, master: Buffer.alloc(30, 5) };
    expect(keys.negotiate([{ tag: second!.tag, keys: receive }], true)).toEqual({
      type: 'sdes',
      tag: second!.tag,
      send: second!.keys,
      receive,
    });
    expect(keys.negotiate([{ tag: first!.tag, keys: receive }], true)).toBeNull();
    expect(keys.negotiate([{ tag: 9, keys: receive }], false)).toMatchObject({ tag: 9, receive });
  });
});

describe('SipMedia with encryption', () => {
  const clock = new VirtualClock();
  const portsOf = (engine: InlineRtp): RtpPorts =>
    new RtpPorts({ host: HOST, range: { first: 19_300, last: 19_398 }, engine });
  const ports = portsOf(new InlineRtp(clock, createSharedDtls(clock)));

  function openMedia(
    encryption: SipEncryption = 'off',
    earlier: SipMediaSnapshot | null = null,
  ): Promise<SipMedia> {
    const meter = { sample: () => undefined };
    return SipMedia.open({ ports, address: HOST, meter, clock, encryption, earlier });
  }

  const profileOf = (text: string): string | undefined => /^m=audio \d+ (\S+)/mu.exec(text)?.[1];
  const cryptosOf = (text: string): string[] => text.match(/^a=crypto:.*$/gmu) ?? [];

  it.each([
    ['off', 'off', 'RTP/AVP', false],
    ['off', 'optional', 'RTP/AVP', false],
    ['optional', 'off', 'RTP/AVP', true],
    ['optional', 'required', 'RTP/AVP', true],
    ['required', 'off', 'RTP/SAVP', true],
    ['required', 'required', 'RTP/SAVP', true],
  ] as const)(
    'agrees on a profile when "%s" calls "%s": %s, encrypted: %s',
    async (caller, callee, profile, isEncrypted) => {
      await using a = await openMedia(caller);
      await using b = await openMedia(callee);
      const offer = a.offer();
      const answer = b.answer(offer);
      if (isRefusal(answer)) throw new Error(answer.reason);
      expect([profileOf(offer), profileOf(answer)]).toEqual([profile, profile]);
      expect(cryptosOf(answer)).toHaveLength(isEncrypted ? 1 : 0);
      expect(a.takeAnswer(answer)).toBeNull();
      // Later descriptions have the same keys and profile.
      const [offered, answered] = [a.offer(), b.offer()];
      expect(profileOf(answered)).toBe(profile);
      expect(cryptosOf(offered)).toEqual(cryptosOf(offer));
      const [accepted = ''] = cryptosOf(answer);
      if (isEncrypted) expect(cryptosOf(answered)).toContain(accepted);
    },
  );

  it('rejects unencrypted audio as caller and as callee when encryption is required', async () => {
    await using media = await openMedia('required');
    expect(media.answer(sdp(['RTP/AVP']))).toMatchObject({ status: 488 });
    media.offer();
    expect(media.takeAnswer(sdp(['RTP/AVP']))).toMatchObject({ status: 488 });
    expect(media.takeAnswer(sdp(['RTP/SAVP', CRYPTO]))).toMatchObject({
      reason: 'The SDP accepts an a=crypto attribute that was not offered',
    });
  });

  const setupOf = (text: string): string | undefined => /^a=setup:(\w+)/mu.exec(text)?.[1];
  const tlsIdOf = (text: string): string | undefined => /^a=tls-id:(\S+)/mu.exec(text)?.[1];
  const answered = (answer: ReturnType<SipMedia['answer']>): string => {
    if (isRefusal(answer)) throw new Error(answer.reason);
    return answer;
  };

  it.each(['off', 'optional', 'required', 'dtls'] as const)(
    'agrees on DTLS when "dtls" calls "%s"',
    async (callee) => {
      await using a = await openMedia('dtls');
      await using b = await openMedia(callee);
      const offer = a.offer();
      const answer = answered(b.answer(offer));
      expect([profileOf(offer), profileOf(answer)]).toEqual(['UDP/TLS/RTP/SAVP', 'UDP/TLS/RTP/SAVP']);
      expect([setupOf(offer), setupOf(answer)]).toEqual(['actpass', 'passive']);
      expect(a.takeAnswer(answer)).toBeNull();
      // Later descriptions keep the association and its roles.
      const [again, back] = [a.offer(), b.offer()];
      expect([profileOf(again), profileOf(back)]).toEqual(['UDP/TLS/RTP/SAVP', 'UDP/TLS/RTP/SAVP']);
      expect([tlsIdOf(again), tlsIdOf(back)]).toEqual([tlsIdOf(offer), tlsIdOf(answer)]);
      expect(setupOf(answered(a.answer(back)))).toBe('active');
      expect(setupOf(answered(b.answer(again)))).toBe('passive');
    },
  );

  it('accepts only keys from DTLS when DTLS is required', async () => {
    await using a = await openMedia('required');
    await using b = await openMedia('dtls');
    expect(b.answer(a.offer())).toMatchObject({
      status: 488,
      reason: 'The SDP has no audio with supported encryption (DTLS-SRTP), which is required',
    });
    b.offer();
    expect(b.takeAnswer(sdp(['UDP/TLS/RTP/SAVP', CRYPTO]))).toMatchObject({ status: 488 });
    expect(b.takeAnswer(sdp(['RTP/AVP']))).toMatchObject({ status: 488 });
  });

  it('offers its own DTLS association after a failover', async () => {
    await using a = await openMedia('dtls');
    await using b = await openMedia();
    expect(a.takeAnswer(answered(b.answer(a.offer())))).toBeNull();
    await using successor = await openMedia('off', b.snapshot());
    const offer = successor.offer();
    expect(profileOf(offer)).toBe('UDP/TLS/RTP/SAVP');
    expect(tlsIdOf(offer)).not.toBe(tlsIdOf(b.offer()));
    expect(successor.takeAnswer(answered(a.answer(offer)))).toBeNull();
    expect(successor.snapshot()).toMatchObject({ isEncrypted: true, keyExchange: 'dtls' });
  });

  it('fails to open with required DTLS, and rejects a DTLS offer, when DTLS is not available', async () => {
    const without = portsOf(new InlineRtp(clock));
    const options = { ports: without, address: HOST, meter: { sample: () => undefined }, clock };
    await expect(SipMedia.open({ ...options, encryption: 'dtls' })).rejects.toThrow('DTLS is not available');
    while (without.taken > 0) await new Promise((resolve) => setImmediate(resolve));
    await using a = await openMedia('dtls');
    await using b = await SipMedia.open(options);
    expect(b.answer(a.offer())).toMatchObject({ status: 488 });
  });

  it('uses other keys when the call moves to another party, as caller and as callee', async () => {
    await using media = await openMedia('required');
    await using first = await openMedia('required');
    await using second = await openMedia('required');
    const [initial = ''] = cryptosOf(answered(media.answer(first.offer())));
    expect(cryptosOf(answered(media.answer(first.offer())))).toEqual([initial]);
    const [answer = ''] = cryptosOf(answered(media.answer(second.offer())));
    expect(answer).not.toBe(initial);
    const offer = media.offer(HOST);
    expect(cryptosOf(offer)).not.toContain(answer);
    // Another address of the same party.
    expect(cryptosOf(media.offer(HOST))).toEqual(cryptosOf(offer));
    expect(media.takeAnswer(answered(first.answer(offer)))).toBeNull();
    expect(cryptosOf(media.offer())).toEqual(cryptosOf(offer));
  });

  it('uses a different key for each direction', async () => {
    await using a = await openMedia('required');
    await using b = await openMedia('required');
    const answer = b.answer(a.offer());
    if (isRefusal(answer)) throw new Error(answer.reason);
    const keys = [a.offer(), answer].map((text) => /inline:(\S+)/u.exec(text)?.[1] ?? '');
    expect(keys[0]).not.toBe(keys[1]);
    const [own, peers] = keys.map((key) => ({
      suite: 'AES_CM_128_HMAC_SHA1_80' as const,
      master: Buffer.from(key, 'base64'),
    }));
    const packet = Buffer.alloc(172, 0x80);
    expect(new SrtpReceiver(own!).unprotectRtp(new SrtpSender(peers!).protectRtp(packet))).toBeNull();
  });
});
