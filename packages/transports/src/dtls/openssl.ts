import koffi from 'koffi';

/** A pointer to an object of OpenSSL. */
export type Pointer = bigint;

/** Constants of OpenSSL 3, from its headers. */
export const SSL_CTRL_SET_MTU = 17;
export const SSL_CTRL_SET_SESS_CACHE_MODE = 44;
export const DTLS_CTRL_HANDLE_TIMEOUT = 74;
export const SSL_CTRL_SET_MIN_PROTO_VERSION = 123;
export const DTLS1_2_VERSION = 0xfefd;
export const SSL_OP_NO_QUERY_MTU = 1n << 12n;
export const SSL_OP_COOKIE_EXCHANGE = 1n << 13n;
export const SSL_OP_NO_TICKET = 1n << 14n;
export const SSL_OP_NO_RENEGOTIATION = 1n << 30n;
export const SSL_VERIFY_PEER = 1;
export const SSL_VERIFY_FAIL_IF_NO_PEER_CERT = 2;
export const SSL_ERROR_WANT_READ = 2;

/** Longest digest (SHA-512). */
const MAX_DIGEST_BYTES = 64;
const ERROR_TEXT_BYTES = 256;

/** Decides whether to accept the peer's certificate. Must not throw. */
export type VerifyCertificate = (digestOf: (hash: DigestName) => Buffer) => boolean;
export type DigestName = 'sha-256' | 'sha-384' | 'sha-512';

export type OpenSsl = ReturnType<typeof bind>;

let bound: OpenSsl | null = null;

/**
 * DTLS of the OpenSSL that Node is linked to: `node:tls` uses the same library but offers streams only. Throws if this
 * Node does not export it.
 */
export function loadOpenSsl(): OpenSsl {
  bound ??= bind();
  return bound;
}

function bind() {
  const lib = koffi.load(null);
  const pointerTo = (name: string, ...args: string[]): ((...values: unknown[]) => Pointer | null) =>
    lib.func(name, 'void *', args);
  const numberOf = (name: string, ...args: string[]): ((...values: unknown[]) => number) =>
    lib.func(name, 'int', args);
  const nothing = (name: string, ...args: string[]): ((...values: unknown[]) => void) =>
    lib.func(name, 'void', args);
  const [p, bytes, filled, text] = ['void *', 'const uint8_t *', '_Out_ uint8_t *', 'const char *'];

  const digests: Record<DigestName, () => Pointer | null> = {
    'sha-256': pointerTo('EVP_sha256'),
    'sha-384': pointerTo('EVP_sha384'),
    'sha-512': pointerTo('EVP_sha512'),
  };
  const x509Digest = numberOf('X509_digest', p, p, filled, '_Inout_ uint32_t *');
  const getError: () => number | bigint = lib.func('ERR_get_error', 'unsigned long', []);
  const errorText = nothing('ERR_error_string_n', 'unsigned long', filled, 'size_t');
  const certificateOf = pointerTo('X509_STORE_CTX_get0_cert', p);
  const setVerifyCallback = nothing('SSL_CTX_set_cert_verify_callback', p, 'void *', p);
  const setCookieGenerator = nothing('SSL_CTX_set_cookie_generate_cb', p, 'void *');
  const setCookieVerifier = nothing('SSL_CTX_set_cookie_verify_cb', p, 'void *');
  // Types without names, because several threads and test environments may define them.
  const verifyType = koffi.pointer(koffi.proto('int (void *store, void *arg)'));
  const generateType = koffi.pointer(koffi.proto('int (void *ssl, void *cookie, void *length)'));
  const cookieType = koffi.pointer(koffi.proto('int (void *ssl, void *cookie, unsigned int length)'));

  const profileType = koffi.struct({ name: text, id: 'unsigned long' });

  const digest = (certificate: Pointer, hash: DigestName): Buffer => {
    const out = Buffer.alloc(MAX_DIGEST_BYTES);
    const length = [MAX_DIGEST_BYTES];
    if (x509Digest(certificate, digests[hash](), out, length) !== 1) throw new Error('X509_digest failed');
    return out.subarray(0, length[0]);
  };

  return {
    dtlsMethod: pointerTo('DTLS_method'),
    contextNew: pointerTo('SSL_CTX_new', p),
    contextControl: numberOf('SSL_CTX_ctrl', p, 'int', 'long', p),
    contextOptions: lib.func('SSL_CTX_set_options', 'uint64_t', [p, 'uint64_t']) as (
      context: Pointer,
      options: bigint,
    ) => unknown,
    contextCiphers: numberOf('SSL_CTX_set_cipher_list', p, text),
    contextSrtp: numberOf('SSL_CTX_set_tlsext_use_srtp', p, text),
    contextCertificate: numberOf('SSL_CTX_use_certificate', p, p),
    contextKey: numberOf('SSL_CTX_use_PrivateKey', p, p),
    contextVerify: nothing('SSL_CTX_set_verify', p, 'int', p),

    sslNew: pointerTo('SSL_new', p),
    sslFree: nothing('SSL_free', p),
    sslControl: numberOf('SSL_ctrl', p, 'int', 'long', p),
    sslBios: nothing('SSL_set_bio', p, p, p),
    sslAccept: nothing('SSL_set_accept_state', p),
    sslConnect: nothing('SSL_set_connect_state', p),
    sslHandshake: numberOf('SSL_do_handshake', p),
    sslRead: numberOf('SSL_read', p, filled, 'int'),
    sslError: numberOf('SSL_get_error', p, 'int'),
    sslExport: numberOf(
      'SSL_export_keying_material',
      ...[p, filled, 'size_t', text, 'size_t', p, 'size_t', 'int'],
    ),
    sslProfile: pointerTo('SSL_get_selected_srtp_profile', p),

    bioNew: pointerTo('BIO_new', p),
    bioDatagrams: pointerTo('BIO_s_dgram_mem'),
    bioRead: numberOf('BIO_read', p, filled, 'int'),
    bioWrite: numberOf('BIO_write', p, bytes, 'int'),

    newKey: lib.func('void *EVP_PKEY_Q_keygen(void *, const char *, const char *, ...)') as (
      ...values: unknown[]
    ) => Pointer | null,
    keyFree: nothing('EVP_PKEY_free', p),
    certificateNew: pointerTo('X509_new'),
    certificateFree: nothing('X509_free', p),
    certificateVersion: numberOf('X509_set_version', p, 'long'),
    certificateSerial: pointerTo('X509_get_serialNumber', p),
    setInteger: numberOf('ASN1_INTEGER_set_uint64', p, 'uint64_t'),
    certificateName: pointerTo('X509_get_subject_name', p),
    certificateIssuer: numberOf('X509_set_issuer_name', p, p),
    addNameEntry: numberOf('X509_NAME_add_entry_by_txt', ...[p, text, 'int', bytes, 'int', 'int', 'int']),
    certificateNotBefore: pointerTo('X509_getm_notBefore', p),
    certificateNotAfter: pointerTo('X509_getm_notAfter', p),
    setTime: pointerTo('X509_gmtime_adj', p, 'long'),
    certificateKey: numberOf('X509_set_pubkey', p, p),
    certificateSign: numberOf('X509_sign', p, p, p),
    digest,
    sha256: digests['sha-256'],

    clearErrors: nothing('ERR_clear_error'),
    /** Returns the oldest error of this thread as text, or null. Clears all errors. */
    takeError(): string | null {
      const code = getError();
      if (Number(code) === 0) return null;
      const out = Buffer.alloc(ERROR_TEXT_BYTES);
      errorText(code, out, ERROR_TEXT_BYTES);
      this.clearErrors();
      return out.toString('latin1', 0, out.indexOf(0));
    },

    /** SRTP_PROTECTION_PROFILE: a name, then the number of the profile. */
    profileName(profile: Pointer): string {
      const { name } = koffi.decode(profile, profileType) as { name: string };
      return name;
    },

    /** Replaces OpenSSL's certificate verification. Stays in effect for the life of the thread. */
    onVerify(context: Pointer, verify: VerifyCertificate): void {
      const callback = (store: Pointer): number => {
        const certificate = certificateOf(store);
        return certificate !== null && verify((hash) => digest(certificate, hash)) ? 1 : 0;
      };
      setVerifyCallback(context, koffi.register(callback, verifyType), null);
    },

    /**
     * `cookie` returns the cookie of the peer whose handshake is running. Stays in effect for the life of the thread.
     */
    onCookie(context: Pointer, cookie: () => Buffer): void {
      const generate = (_ssl: Pointer, to: Pointer, length: Pointer): number => {
        const value = cookie();
        new Uint8Array(koffi.view(to, value.length)).set(value);
        koffi.encode(length, 'unsigned int', value.length);
        return 1;
      };
      const verify = (_ssl: Pointer, from: Pointer, length: number): number =>
        cookie().equals(new Uint8Array(koffi.view(from, length))) ? 1 : 0;
      setCookieGenerator(context, koffi.register(generate, generateType));
      setCookieVerifier(context, koffi.register(verify, cookieType));
    },
  };
}
