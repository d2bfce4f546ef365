/** Crypto suites of RFC 4568 and RFC 7714 by their names in SDP, best supported by peers first. */
export const SRTP_SUITES = {
  AES_CM_128_HMAC_SHA1_80: counterMode(10),
  AES_CM_128_HMAC_SHA1_32: counterMode(4),
  AEAD_AES_256_GCM: galoisMode(32),
  AEAD_AES_128_GCM: galoisMode(16),
} as const satisfies Record<string, SrtpSuiteParameters>;

export type SrtpSuite = keyof typeof SRTP_SUITES;

export interface SrtpSuiteParameters {
  mode: 'counter' | 'gcm';
  keyBytes: number;
  saltBytes: number;
  /** Authentication tag of RTP packets. */
  rtpTagBytes: number;
  rtcpTagBytes: number;
}

/** Master key and salt of one direction. */
export interface SrtpKeys {
  suite: SrtpSuite;
  /** The key followed by the salt. */
  master: Uint8Array;
}

export function isSrtpSuite(name: string): name is SrtpSuite {
  return Object.hasOwn(SRTP_SUITES, name);
}

/** Length of a master key with its salt. */
export function masterKeyBytes(suite: SrtpSuite): number {
  const { keyBytes, saltBytes } = SRTP_SUITES[suite];
  return keyBytes + saltBytes;
}

/** Only RTP uses the short tag (RFC 4568, 6.2.2). */
function counterMode(rtpTagBytes: number): SrtpSuiteParameters {
  return { mode: 'counter', keyBytes: 16, saltBytes: 14, rtpTagBytes, rtcpTagBytes: 10 };
}

function galoisMode(keyBytes: number): SrtpSuiteParameters {
  return { mode: 'gcm', keyBytes, saltBytes: 12, rtpTagBytes: 16, rtcpTagBytes: 16 };
}
