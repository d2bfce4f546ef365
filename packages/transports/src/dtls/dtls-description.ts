import { randomUUID } from 'node:crypto';
import type { DtlsRole } from './dtls-association.ts';
import { isSameFingerprint, readFingerprint, type Fingerprint } from './fingerprint.ts';

/** What a peer's SDP says about DTLS-SRTP (RFC 5763). */
export interface RemoteDtls {
  /** Which side performs the handshake as client (RFC 4145). */
  setup: 'active' | 'passive' | 'actpass';
  /** The peer's fingerprints; at least one. */
  fingerprints: readonly Fingerprint[];
  /** Identifies the association (RFC 8842). */
  tlsId: string | null;
}

/** DTLS-SRTP as negotiated by both sides. */
export interface NegotiatedDtls {
  type: 'dtls';
  role: DtlsRole;
  /** Fingerprints of the peer. */
  fingerprints: readonly Fingerprint[];
  /** Unchanged as long as the same association is in use. */
  id: string;
}

/** The local attributes of one description. */
export interface LocalDtlsAttributes {
  setup: RemoteDtls['setup'];
  fingerprint: Fingerprint;
  tlsId: string;
}

const MAX_FINGERPRINTS = 8;
const SETUP = /^a=setup:(active|passive|actpass|holdconn)[ \t]*$/mu;
const TLS_ID = /^a=tls-id:([A-Za-z0-9+/_-]{20,255})[ \t]*$/mu;
const FINGERPRINTS = /^a=fingerprint:(\S{1,20}) (\S{1,200})[ \t]*$/gmu;

/**
 * The attributes of one media section (counted from 0), or of the session where the section has none. Null if DTLS
 * cannot be used. `text`: a description of limited size.
 */
export function readDtls(text: string, section: number): RemoteDtls | null {
  const [session = '', ...sections] = text.split(/^m=/mu);
  const own = sections[section] ?? '';
  const setup = (SETUP.exec(own) ?? SETUP.exec(session))?.[1];
  const fingerprints = [fingerprintsIn(own), fingerprintsIn(session)].find(({ length }) => length > 0);
  const tlsId = TLS_ID.exec(own)?.[1] ?? null;
  if (!fingerprints || setup === undefined || !isSetup(setup)) return null;
  return { setup, fingerprints, tlsId };
}

function isSetup(setup: string): setup is RemoteDtls['setup'] {
  return setup === 'active' || setup === 'passive' || setup === 'actpass';
}

function fingerprintsIn(text: string): Fingerprint[] {
  return [...text.matchAll(FINGERPRINTS)].slice(0, MAX_FINGERPRINTS).flatMap(([, hash = '', value = '']) => {
    const fingerprint = readFingerprint(hash, value);
    return fingerprint ? [fingerprint] : [];
  });
}

export function dtlsLines({ setup, fingerprint: { hash, value }, tlsId }: LocalDtlsAttributes): string[] {
  return [`a=fingerprint:${hash} ${value}`, `a=setup:${setup}`, `a=tls-id:${tlsId}`];
}

/** The local side of DTLS-SRTP in the descriptions of one call. */
export class LocalDtls {
  readonly #fingerprint: Fingerprint;
  #tlsId = newTlsId();
  #negotiated: NegotiatedDtls | null = null;

  constructor(fingerprint: Fingerprint) {
    this.#fingerprint = fingerprint;
  }

  /** The attributes of an offer. They also fit the association in use (RFC 8842, 5.5). */
  offer(): LocalDtlsAttributes {
    return { setup: 'actpass', fingerprint: this.#fingerprint, tlsId: this.#tlsId };
  }

  /** The attributes of an answer with this result of the negotiation. */
  answer({ role }: NegotiatedDtls): LocalDtlsAttributes {
    const setup = role === 'server' ? 'passive' : 'active';
    return { setup, fingerprint: this.#fingerprint, tlsId: this.#tlsId };
  }

  /**
   * Null if an answer leaves open which side is the client. The peer is the client if it lets this side choose, so that
   * its packets pass its NAT.
   */
  negotiate({ setup, fingerprints, tlsId }: RemoteDtls, isAnswer: boolean): NegotiatedDtls | null {
    if (isAnswer && setup === 'actpass') return null;
    const before = this.#negotiated;
    const isSame = before?.fingerprints.every((each) =>
      fingerprints.some((one) => isSameFingerprint(each, one)),
    );
    const free = isSame && before ? before.role : 'server';
    const role = setup === 'actpass' ? free : setup === 'active' ? 'server' : 'client';
    const id = [role, tlsId, ...fingerprints.map(({ value }) => value)].join();
    if (before?.id === id) return before;
    if (before && !isAnswer) this.#tlsId = newTlsId();
    this.#negotiated = { type: 'dtls', role, fingerprints, id };
    return this.#negotiated;
  }
}

function newTlsId(): string {
  return randomUUID();
}
