import { createCipheriv, createDecipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { SessionKeys } from './session-keys.ts';
import { SRTP_SUITES, type SrtpSuite } from './srtp-suite.ts';

/** Position of a packet in its stream. */
export interface PacketPosition {
  ssrc: number;
  /** RTP: rollover counter. RTCP: 0. */
  high: number;
  /** RTP: sequence number (16 bits). RTCP: index (31 bits). */
  low: number;
}

/** A packet's parts. */
export interface PacketParts {
  /** Not encrypted. */
  header: Uint8Array;
  /** Encrypted or to be encrypted; with GCM an encrypted one ends with its tag. */
  body: Uint8Array;
  /** Authenticated after header and body, but not encrypted. */
  trailer: Uint8Array;
}

/** Encrypts and authenticates the packets of one direction of RTP or RTCP. */
export interface PacketCipher {
  /** Returns the encrypted body and the tag. */
  seal(parts: PacketParts, position: PacketPosition): { body: Uint8Array; tag: Uint8Array };
  /** Returns the decrypted body; null if the packet is not authentic. */
  open(parts: PacketParts, tag: Uint8Array, position: PacketPosition): Uint8Array | null;
}

export function packetCipher(suite: SrtpSuite, keys: SessionKeys, protocol: 'rtp' | 'rtcp'): PacketCipher {
  const { mode, keyBytes, rtpTagBytes, rtcpTagBytes } = SRTP_SUITES[suite];
  const tagBytes = protocol === 'rtp' ? rtpTagBytes : rtcpTagBytes;
  return mode === 'gcm' ? galoisCipher(keys, keyBytes) : counterCipher(keys, tagBytes, protocol);
}

const COUNTER_IV_BYTES = 16;

/** AES in counter mode and HMAC-SHA1 (RFC 3711, 4.1.1 and 4.2.1). */
function counterCipher(
  { encryption, authentication, salt }: SessionKeys,
  tagBytes: number,
  protocol: 'rtp' | 'rtcp',
): PacketCipher {
  const [encryptionKey, authenticationKey] = [createSecretKey(encryption), createSecretKey(authentication)];
  const iv = Buffer.alloc(COUNTER_IV_BYTES);
  const rollover = Buffer.alloc(4);
  const crypt = (body: Uint8Array, { ssrc, high, low }: PacketPosition): Uint8Array => {
    iv.fill(0);
    iv.writeUInt32BE(ssrc, 4);
    if (protocol === 'rtp') {
      iv.writeUInt32BE(high, 8);
      iv.writeUInt16BE(low, 12);
    } else iv.writeUInt32BE(low, 10);
    combine(iv, salt);
    return createCipheriv('aes-128-ctr', encryptionKey, iv).update(body);
  };
  const tagOf = ({ header, body, trailer }: PacketParts, { high }: PacketPosition): Uint8Array => {
    const hmac = createHmac('sha1', authenticationKey).update(header).update(body).update(trailer);
    rollover.writeUInt32BE(high);
    if (protocol === 'rtp') hmac.update(rollover);
    return hmac.digest().subarray(0, tagBytes);
  };
  return {
    seal(parts, position) {
      const body = crypt(parts.body, position);
      return { body, tag: tagOf({ ...parts, body }, position) };
    },
    open(parts, tag, position) {
      return timingSafeEqual(tagOf(parts, position), tag) ? crypt(parts.body, position) : null;
    },
  };
}

const GALOIS_IV_BYTES = 12;

/** AES in Galois/Counter Mode (RFC 7714, 8 and 9). */
function galoisCipher({ encryption, salt }: SessionKeys, keyBytes: number): PacketCipher {
  const algorithm = keyBytes === 32 ? 'aes-256-gcm' : 'aes-128-gcm';
  const key = createSecretKey(encryption);
  const iv = Buffer.alloc(GALOIS_IV_BYTES);
  const setIv = ({ ssrc, high, low }: PacketPosition): void => {
    iv.fill(0);
    iv.writeUInt32BE(ssrc, 2);
    // The 48 bits of the RTP index, or the 32 bits of the RTCP index.
    const whole = high * 0x10000 + low;
    iv.writeUIntBE(whole, 6, 6);
    combine(iv, salt);
  };
  return {
    seal({ header, body, trailer }, position) {
      setIv(position);
      const cipher = createCipheriv(algorithm, key, iv);
      cipher.setAAD(header).setAAD(trailer);
      const sealed = cipher.update(body);
      cipher.final();
      return { body: sealed, tag: cipher.getAuthTag() };
    },
    open({ header, body, trailer }, tag, position) {
      setIv(position);
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tag.length });
      decipher.setAAD(header).setAAD(trailer).setAuthTag(tag);
      const opened = decipher.update(body);
      try {
        decipher.final();
        return opened;
      } catch {
        // A wrong tag is the only reason to throw.
        return null;
      }
    },
  };
}

function combine(iv: Uint8Array, salt: Uint8Array): void {
  for (let i = 0; i < salt.length; i += 1) iv[i] = (iv[i] ?? 0) ^ (salt[i] ?? 0);
}
