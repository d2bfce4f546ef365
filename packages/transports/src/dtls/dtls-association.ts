import { SRTP_SUITES, type SrtpKeys, type SrtpSuite } from '../srtp/srtp-suite.ts';
import { fingerprintOf, isSameFingerprint, type Fingerprint } from './fingerprint.ts';
import {
  DTLS_CTRL_HANDLE_TIMEOUT,
  SSL_CTRL_SET_MTU,
  SSL_ERROR_WANT_READ,
  type DigestName,
  type OpenSsl,
  type Pointer,
} from './openssl.ts';

export type DtlsRole = 'client' | 'server';

/** The other side of a handshake. */
export interface DtlsPeer {
  role: DtlsRole;
  /** Fingerprints that the peer signals. Its certificate must match one of them. */
  fingerprints: readonly Fingerprint[];
  /** Its address and port as text. A server's cookie is valid for it only. */
  source: string;
}

/** Master keys of both directions (RFC 5764, 4.2). */
export interface DtlsKeys {
  send: SrtpKeys;
  receive: SrtpKeys;
}

/** Datagrams of this size, with their headers, fit into every path of the internet. */
const MTU_BYTES = 1200;
/** Records of a handshake are at most as long as one TLS record with overhead. */
const DATAGRAM_BYTES = 20_000;
const EXPORT_LABEL = 'EXTRACTOR-dtls_srtp';

const SUITES: Readonly<Record<string, SrtpSuite>> = {
  SRTP_AES128_CM_SHA1_80: 'AES_CM_128_HMAC_SHA1_80',
  SRTP_AEAD_AES_128_GCM: 'AEAD_AES_128_GCM',
  SRTP_AEAD_AES_256_GCM: 'AEAD_AES_256_GCM',
};

/** Output buffer of OpenSSL calls. Associations share it, because only one call runs at a time. */
const scratch = Buffer.alloc(DATAGRAM_BYTES);

/**
 * One DTLS 1.2 association, without a socket: the caller passes datagrams and sends what is returned. A failed
 * association stays failed.
 */
export class DtlsAssociation {
  readonly source: string;
  readonly #openSsl: OpenSsl;
  readonly #peer: DtlsPeer;
  readonly #within: <T>(association: DtlsAssociation, run: () => T) => T;
  /** Owned by this association, together with both datagram queues. Null once closed. */
  #ssl: Pointer | null;
  readonly #received: Pointer;
  readonly #sent: Pointer;
  #keys: DtlsKeys | null = null;
  #failure: string | null = null;
  #isMismatch = false;

  /** `within`: runs calls during which OpenSSL may ask for this association's certificate or cookie. */
  constructor(
    openSsl: OpenSsl,
    ssl: Pointer,
    peer: DtlsPeer,
    within: <T>(association: DtlsAssociation, run: () => T) => T,
  ) {
    this.#openSsl = openSsl;
    this.#ssl = ssl;
    this.#peer = peer;
    this.#within = within;
    this.source = peer.source;
    const [received, sent] = [openSsl.bioNew(openSsl.bioDatagrams()), openSsl.bioNew(openSsl.bioDatagrams())];
    if (received === null || sent === null) throw new Error('BIO_new failed');
    [this.#received, this.#sent] = [received, sent];
    // The association owns both from now on.
    openSsl.sslBios(ssl, received, sent);
    openSsl.sslControl(ssl, SSL_CTRL_SET_MTU, MTU_BYTES, null);
    if (peer.role === 'server') openSsl.sslAccept(ssl);
    else openSsl.sslConnect(ssl);
  }

  /** Set when the handshake is complete. */
  get keys(): DtlsKeys | null {
    return this.#keys;
  }

  /** Why the handshake failed; null if it did not. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Whether the handshake failed because the peer's certificate has none of the signalled fingerprints. */
  get isMismatch(): boolean {
    return this.#isMismatch;
  }

  /** Returns the first datagrams of a client. */
  start(): Buffer[] {
    return this.#run();
  }

  /** Passes a datagram of the peer. Returns what to send. */
  receive(datagram: Uint8Array): Buffer[] {
    if (this.#ssl === null || this.#failure !== null) return [];
    this.#openSsl.bioWrite(this.#received, datagram, datagram.length);
    return this.#run();
  }

  /** Returns what to send again, if it is time. Call it several times a second until the handshake is complete. */
  tick(): Buffer[] {
    if (this.#ssl === null || this.#failure !== null || this.#keys) return [];
    this.#openSsl.clearErrors();
    this.#openSsl.sslControl(this.#ssl, DTLS_CTRL_HANDLE_TIMEOUT, 0, null);
    this.#openSsl.clearErrors();
    return this.#toSend();
  }

  /** Whether the certificate of the peer has a signalled fingerprint. */
  accepts(digestOf: (hash: DigestName) => Buffer): boolean {
    const isExpected = this.#peer.fingerprints.some((expected) =>
      isSameFingerprint(expected, fingerprintOf(expected.hash, digestOf(expected.hash))),
    );
    this.#isMismatch ||= !isExpected;
    return isExpected;
  }

  /** Idempotent. Nothing is sent. */
  close(): void {
    if (this.#ssl !== null) this.#openSsl.sslFree(this.#ssl);
    this.#ssl = null;
  }

  #run(): Buffer[] {
    const ssl = this.#ssl;
    if (ssl === null) return [];
    this.#openSsl.clearErrors();
    if (this.#keys) this.#readOn(ssl);
    else this.#shakeHands(ssl);
    return this.#toSend();
  }

  #shakeHands(ssl: Pointer): void {
    const result = this.#within(this, () => this.#openSsl.sslHandshake(ssl));
    if (result === 1) this.#complete(ssl);
    else if (this.#openSsl.sslError(ssl, result) !== SSL_ERROR_WANT_READ) {
      const reason = this.#openSsl.takeError() ?? 'no reason';
      this.#failure = this.#isMismatch ? 'the certificate has another fingerprint than signalled' : reason;
    }
  }

  /** Answers repeated handshake messages and drops application data, until nothing is left to read. */
  #readOn(ssl: Pointer): void {
    this.#within(this, () => {
      while (this.#openSsl.sslRead(ssl, scratch, scratch.length) > 0);
    });
    this.#openSsl.clearErrors();
  }

  #complete(ssl: Pointer): void {
    const profile = this.#openSsl.sslProfile(ssl);
    const suite = profile === null ? undefined : SUITES[this.#openSsl.profileName(profile)];
    if (suite === undefined) {
      this.#failure = 'the peer supports none of the SRTP profiles';
      return;
    }
    const { keyBytes, saltBytes } = SRTP_SUITES[suite];
    const material = Buffer.alloc(2 * (keyBytes + saltBytes));
    const [length, label] = [material.length, EXPORT_LABEL.length];
    if (this.#openSsl.sslExport(ssl, material, length, EXPORT_LABEL, label, null, 0, 0) !== 1) {
      this.#failure = 'the keys cannot be exported';
      return;
    }
    // Client key, server key, client salt, server salt.
    const of = (index: 0 | 1): SrtpKeys => {
      const key = material.subarray(index * keyBytes, (index + 1) * keyBytes);
      const salts = material.subarray(2 * keyBytes);
      return {
        suite,
        master: Buffer.concat([key, salts.subarray(index * saltBytes, (index + 1) * saltBytes)]),
      };
    };
    const [client, server] = [of(0), of(1)];
    this.#keys =
      this.#peer.role === 'client' ? { send: client, receive: server } : { send: server, receive: client };
  }

  #toSend(): Buffer[] {
    const datagrams: Buffer[] = [];
    for (;;) {
      const length = this.#openSsl.bioRead(this.#sent, scratch, scratch.length);
      if (length <= 0) return datagrams;
      datagrams.push(Buffer.from(scratch.subarray(0, length)));
    }
  }
}
