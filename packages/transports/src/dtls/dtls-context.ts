import { createHmac, randomBytes } from 'node:crypto';
import { DtlsAssociation, type DtlsPeer } from './dtls-association.ts';
import { fingerprintOf, type Fingerprint } from './fingerprint.ts';
import {
  DTLS1_2_VERSION,
  loadOpenSsl,
  SSL_CTRL_SET_MIN_PROTO_VERSION,
  SSL_CTRL_SET_SESS_CACHE_MODE,
  SSL_OP_COOKIE_EXCHANGE,
  SSL_OP_NO_QUERY_MTU,
  SSL_OP_NO_RENEGOTIATION,
  SSL_OP_NO_TICKET,
  SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
  SSL_VERIFY_PEER,
  type OpenSsl,
  type Pointer,
} from './openssl.ts';

/** Ephemeral key exchange and authenticated encryption only. Peers have ECDSA or RSA certificates. */
const CIPHERS = 'ECDHE+AESGCM:ECDHE+CHACHA20';
/** SRTP profiles by their OpenSSL names, best supported by peers first. */
const PROFILES = 'SRTP_AES128_CM_SHA1_80:SRTP_AEAD_AES_256_GCM:SRTP_AEAD_AES_128_GCM';
const VALID_BEFORE_S = 24 * 3600;
/** Validity period of the certificate, for peers that check it. The others compare only the fingerprint. */
const VALID_S = 10 * 365 * 24 * 3600;
const X509_VERSION_3 = 2;
const MBSTRING_ASC = 0x1001;
const COOKIE_BYTES = 20;

/** The settings of all DTLS associations of a thread, with its own self-signed certificate. */
export class DtlsContext {
  /** Fingerprint of the local certificate. */
  readonly fingerprint: Fingerprint;
  readonly #ssl: OpenSsl;
  readonly #context: Pointer;
  readonly #cookieSecret = randomBytes(32);
  /** The association whose call into OpenSSL is running. Callbacks of OpenSSL belong to it. */
  #active: DtlsAssociation | null = null;

  private constructor(ssl: OpenSsl, context: Pointer, fingerprint: Fingerprint) {
    this.#ssl = ssl;
    this.#context = context;
    this.fingerprint = fingerprint;
    ssl.onVerify(context, (digestOf) => this.#active?.accepts(digestOf) ?? false);
    ssl.onCookie(context, () => this.#cookie());
  }

  /** Throws if Node's OpenSSL is not available. */
  static create(): DtlsContext {
    const ssl = loadOpenSsl();
    const context = required(ssl, ssl.contextNew(ssl.dtlsMethod()), 'SSL_CTX_new');
    ssl.contextControl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, DTLS1_2_VERSION, null);
    ssl.contextControl(context, SSL_CTRL_SET_SESS_CACHE_MODE, 0, null);
    ssl.contextOptions(
      context,
      SSL_OP_NO_QUERY_MTU | SSL_OP_COOKIE_EXCHANGE | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION,
    );
    check(ssl, ssl.contextCiphers(context, CIPHERS) === 1, 'SSL_CTX_set_cipher_list');
    // Returns 0 on success.
    check(ssl, ssl.contextSrtp(context, PROFILES) === 0, 'SSL_CTX_set_tlsext_use_srtp');
    ssl.contextVerify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, null);
    return new DtlsContext(ssl, context, useNewCertificate(ssl, context));
  }

  open(peer: DtlsPeer): DtlsAssociation {
    const ssl = required(this.#ssl, this.#ssl.sslNew(this.#context), 'SSL_new');
    return new DtlsAssociation(this.#ssl, ssl, peer, (association, run) => this.#within(association, run));
  }

  #within<T>(association: DtlsAssociation, run: () => T): T {
    this.#active = association;
    try {
      return run();
    } finally {
      this.#active = null;
    }
  }

  #cookie(): Buffer {
    const source = this.#active?.source ?? '';
    return createHmac('sha256', this.#cookieSecret).update(source).digest().subarray(0, COOKIE_BYTES);
  }
}

/** Gives the context a new P-256 key and a certificate for it. Returns its fingerprint. */
function useNewCertificate(ssl: OpenSsl, context: Pointer): Fingerprint {
  const key = required(ssl, ssl.newKey(null, null, 'EC', 'const char *', 'P-256'), 'EVP_PKEY_Q_keygen');
  const certificate = required(ssl, ssl.certificateNew(), 'X509_new');
  try {
    const name = ssl.certificateName(certificate);
    const text = Buffer.from('calls');
    const isComplete =
      ssl.certificateVersion(certificate, X509_VERSION_3) === 1 &&
      ssl.setInteger(ssl.certificateSerial(certificate), randomBytes(8).readBigUInt64BE() >> 1n) === 1 &&
      ssl.addNameEntry(name, 'CN', MBSTRING_ASC, text, text.length, -1, 0) === 1 &&
      ssl.certificateIssuer(certificate, name) === 1 &&
      ssl.setTime(ssl.certificateNotBefore(certificate), -VALID_BEFORE_S) !== null &&
      ssl.setTime(ssl.certificateNotAfter(certificate), VALID_S) !== null &&
      ssl.certificateKey(certificate, key) === 1 &&
      ssl.certificateSign(certificate, key, ssl.sha256()) > 0 &&
      ssl.contextCertificate(context, certificate) === 1 &&
      ssl.contextKey(context, key) === 1;
    check(ssl, isComplete, 'the certificate');
    return fingerprintOf('sha-256', ssl.digest(certificate, 'sha-256'));
  } finally {
    ssl.certificateFree(certificate);
    ssl.keyFree(key);
  }
}

function check(ssl: OpenSsl, isDone: boolean, what: string): void {
  if (!isDone) throw new Error(`${what} failed: ${ssl.takeError() ?? 'no reason'}`);
}

function required(ssl: OpenSsl, pointer: Pointer | null, what: string): Pointer {
  check(ssl, pointer !== null, what);
  return pointer ?? 0n;
}
