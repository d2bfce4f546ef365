import { describe, expect, it } from '@jest/globals';
import { writeRtpPacket } from '../rtp/rtp-packet.ts';
import { packetCipher } from './packet-cipher.ts';
import { deriveSessionKeys } from './session-keys.ts';
import { SrtpReceiver } from './srtp-receiver.ts';
import { SrtpSender } from './srtp-sender.ts';
import { masterKeyBytes, SRTP_SUITES, type SrtpKeys, type SrtpSuite } from './srtp-suite.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const NOTHING = new Uint8Array(0);
const SUITES = Object.keys(SRTP_SUITES) as SrtpSuite[];

/** Master key and salt of RFC 3711, B.3. */
const RFC3711: SrtpKeys = {
  suite: 'AES_CM_128_HMAC_SHA1_80',
  master: hex('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6'),
};
/** Reference packets of libsrtp. */
const RTP = hex('800f1234decafbadcafebabe abababababababababababababababab');
const RTCP = hex('81c8000bcafebabe abababababababababababababababab');

describe('deriveSessionKeys', () => {
  it('derives the session keys of RFC 3711, B.3', () => {
    const { encryption, authentication, salt } = deriveSessionKeys(RFC3711, 'rtp');
    expect(encryption).toEqual(hex('C61E7A93744F39EE10734AFE3FF7A087'));
    expect(salt).toEqual(hex('30CBBC08863D8C85D49DB34A9AE1'));
    expect(authentication).toEqual(hex('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'));
  });
});

describe('packetCipher', () => {
  it.each([
    [
      'AEAD_AES_128_GCM',
      '000102030405060708090a0b0c0d0e0f',
      'f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833899d7f27beb16a9152cf765ee4390cce',
    ],
    [
      'AEAD_AES_256_GCM',
      '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
      '32b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b7aa3db36dfffd6b0f9bb7878d7a76c13',
    ],
  ] as const)('%s: encrypts and decrypts the RTP packet of RFC 7714, section 16', (suite, key, sealed) => {
    const keys = { encryption: hex(key), authentication: NOTHING, salt: hex('517569642070726f2071756f') };
    const cipher = packetCipher(suite, keys, 'rtp');
    const header = hex('8040f17b8041f8d35501a0b2');
    const text = Buffer.from('Gallia est omnis divisa in partes tres');
    const place = { ssrc: 0x5501a0b2, high: 0, low: 0xf17b };
    const { body, tag } = cipher.seal({ header, body: text, trailer: NOTHING }, place);
    expect(Buffer.concat([body, tag])).toEqual(hex(sealed));
    expect(cipher.open({ header, body, trailer: NOTHING }, tag, place)).toEqual(text);
  });
});

describe('SrtpSender and SrtpReceiver', () => {
  const vectors: [SrtpKeys, string, string][] = [
    [
      RFC3711,
      '4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb',
      '7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798',
    ],
    [
      {
        suite: 'AEAD_AES_128_GCM',
        master: hex('000102030405060708090a0b0c0d0e0f a0a1a2a3a4a5a6a7a8a9aaab'),
      },
      'c5002ede04cfdd2eb91159e0880aa06e d2976826f796b201df3131a127e8a392',
      'c98b8b5df0392a55852b6c21ac8e7025 c52c6fbea2b3b446ea31123ba88ce61e 80000001',
    ],
  ];

  it.each(vectors)('write and read the reference packets of libsrtp (%j)', (keys, rtp, rtcp) => {
    const sender = new SrtpSender(keys);
    const receiver = new SrtpReceiver(keys);
    expect(sender.protectRtp(RTP)).toEqual(Buffer.concat([RTP.subarray(0, 12), hex(rtp)]));
    expect(receiver.unprotectRtp(Buffer.concat([RTP.subarray(0, 12), hex(rtp)]))).toEqual(RTP);
    // The first index of the reference is 1.
    sender.protectRtcp(RTCP);
    expect(sender.protectRtcp(RTCP)).toEqual(Buffer.concat([RTCP.subarray(0, 8), hex(rtcp)]));
    expect(receiver.unprotectRtcp(Buffer.concat([RTCP.subarray(0, 8), hex(rtcp)]))).toEqual(RTCP);
  });

  function pair(suite: SrtpSuite): { sender: SrtpSender; receiver: SrtpReceiver } {
    const keys = { suite, master: new Uint8Array(masterKeyBytes(suite)).map((_, i) => i * 7) };
    return { sender: new SrtpSender(keys), receiver: new SrtpReceiver(keys) };
  }

  function packet(sequenceNumber: number, ssrc = 7): Buffer {
    const payload = new Uint8Array(160).fill(sequenceNumber);
    const csrcs = [1, 2];
    const extension = { profile: 0xbede, data: new Uint8Array(8) };
    const bytes = Buffer.alloc(12 + 8 + 12 + 160);
    const fields = { marker: false, payloadType: 0, timestamp: 0 };
    writeRtpPacket({ ...fields, sequenceNumber, ssrc, csrcs, extension, payload }, bytes);
    return bytes;
  }

  it.each(SUITES)('%s: carry packets across wraps of the sequence number, in any order', (suite) => {
    const { sender, receiver } = pair(suite);
    const numbers = Array.from({ length: 12 }, (_, i) => i * 12_000);
    const sealed = numbers.map((number) => sender.protectRtp(packet(number & 0xffff)));
    const order = [1, 0, 2, 3, 5, 4, 6, 8, 7, 9, 11, 10];
    // Packets that arrive this late are outside of the replay window, except the first.
    const opened = order.map((i) => receiver.unprotectRtp(sealed[i]!) !== null);
    expect(opened.filter(Boolean)).toHaveLength(8);
    const close = [0, 1, 2].map((i) => sender.protectRtp(packet((132_001 + i) & 0xffff)));
    for (const i of [2, 0, 1])
      expect(receiver.unprotectRtp(close[i]!)).toEqual(packet((132_001 + i) & 0xffff));
  });

  it.each(SUITES)('%s: drop and count forged, repeated and truncated packets', (suite) => {
    const { sender, receiver } = pair(suite);
    const sealed = sender.protectRtp(packet(5));
    for (const at of [1, 3, 30, 100, sealed.length - 1]) {
      const forged = Buffer.from(sealed);
      forged[at] = (forged[at] ?? 0) ^ 1;
      expect(receiver.unprotectRtp(forged)).toBeNull();
    }
    for (let length = 0; length < 40; length += 1)
      expect(receiver.unprotectRtp(sealed.subarray(0, length))).toBeNull();
    expect(receiver.unprotectRtp(sealed)).toEqual(packet(5));
    expect(receiver.unprotectRtp(sealed)).toBeNull();
    expect(receiver.rejected).toBe(46);
    const report = sender.protectRtcp(RTCP);
    expect(receiver.unprotectRtcp(packet(6))).toBeNull();
    expect(receiver.unprotectRtcp(RTCP.subarray(0, 8))).toBeNull();
    expect(receiver.unprotectRtcp(report)).toEqual(RTCP);
    expect(receiver.unprotectRtcp(report)).toBeNull();
  });

  it('count rollovers per source, and keep a source when packets of forged ones arrive', () => {
    const { sender, receiver } = pair('AES_CM_128_HMAC_SHA1_80');
    const other = pair('AES_CM_128_HMAC_SHA1_80').sender;
    for (const number of [65_534, 65_535, 0, 1])
      expect(receiver.unprotectRtp(sender.protectRtp(packet(number)))).not.toBeNull();
    expect(receiver.unprotectRtp(other.protectRtp(packet(9, 8)))).toEqual(packet(9, 8));
    for (let ssrc = 100; ssrc < 200; ssrc += 1) expect(receiver.unprotectRtp(packet(1, ssrc))).toBeNull();
    expect(receiver.unprotectRtp(sender.protectRtp(packet(2)))).toEqual(packet(2));
  });
});
