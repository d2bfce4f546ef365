import { headersOf } from '../message/headers.ts';
import type { SipResponse } from '../message/message.ts';
import { readParameters, splitOutside } from '../message/separated.ts';

/** A challenge of a 401 or 407 that can be answered. */
export interface DigestChallenge {
  /** Name of the header for the answer. */
  answerHeader: 'Authorization' | 'Proxy-Authorization';
  realm: string;
  nonce: string;
  opaque: string | null;
  /** Repeated in the answer; null if absent, which means MD5. */
  algorithm: string | null;
  hash: 'md5' | 'sha256';
  isSession: boolean;
  /** False for RFC 2069 peers. */
  hasQop: boolean;
  /** The previous answer was correct, but its nonce had expired. */
  isStale: boolean;
}

/** One challenge per realm: the first that can be answered, because servers list preferred ones first. */
export function challengesOf(response: SipResponse): DigestChallenge[] {
  const all = [
    ...headersOf(response, 'WWW-Authenticate').map((text) => readChallenge(text, 'Authorization')),
    ...headersOf(response, 'Proxy-Authenticate').map((text) => readChallenge(text, 'Proxy-Authorization')),
  ];
  const chosen = new Map<string, DigestChallenge>();
  for (const challenge of all) {
    if (!challenge) continue;
    const realm = `${challenge.answerHeader} ${challenge.realm}`;
    if (!chosen.has(realm)) chosen.set(realm, challenge);
  }
  return [...chosen.values()];
}

function readChallenge(text: string, answerHeader: DigestChallenge['answerHeader']): DigestChallenge | null {
  const listed = /^Digest\s+(?<rest>.*)$/isu.exec(text)?.groups?.['rest'];
  if (listed === undefined) return null;
  const parameters = readParameters(splitOutside(listed, ','));
  const realm = parameters.get('realm') ?? '';
  const nonce = parameters.get('nonce') ?? '';
  const algorithm = parameters.get('algorithm') ?? null;
  const groups = /^(?<name>md5|sha-256)(?<session>-sess)?$/iu.exec(algorithm ?? 'MD5')?.groups;
  const qop = parameters.get('qop') ?? null;
  const offered = qop?.split(',').map((each) => each.trim().toLowerCase());
  if (nonce === '' || !groups || (offered && !offered.includes('auth'))) return null;
  return {
    answerHeader,
    realm,
    nonce,
    opaque: parameters.get('opaque') ?? null,
    algorithm,
    hash: groups['name']?.toLowerCase() === 'md5' ? 'md5' : 'sha256',
    isSession: groups['session'] !== undefined,
    hasQop: offered !== undefined,
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  };
}
