import type { IceServer, TransportParameters } from '@calls/api-contract/signalling/signal-messages';
import type { Finding, Findings } from '../findings.ts';
import { reasonOf } from '../reason.ts';
import { checkIceThroughTurn } from '../stun/check-ice.ts';
import { allocate, requestStunAddress, readIceUrl, type Allocation } from '../stun/stun-requests.ts';

type Media = Pick<TransportParameters, 'iceCandidates' | 'iceParameters'>;

export interface Relays {
  /** Whether audio can pass through one of them. */
  reachMedia: boolean;
  tell: (findings: Findings) => void;
}

const REMEDIES = {
  server: 'check TURN_URLS, TURN_SECRET (or TURN_USERNAME and TURN_CREDENTIAL), and that its port is open',
  way: 'let the TURN server reach RTC_PORT of the media-workers by UDP, and allow it to relay there (coturn: allowed-peer-ip)',
} as const;

/** Checks the STUN and TURN servers announced to browsers, and whether they reach the media-worker. */
export async function checkRelays(iceServers: readonly IceServer[], media: Media): Promise<Relays> {
  const results = await Promise.all(
    iceServers.flatMap((server) => server.urls.map((url) => findingOf(url, server, media))),
  );
  return {
    reachMedia: results.some(({ reachesMedia }) => reachesMedia),
    tell: (findings) => {
      if (results.length === 0) {
        const text = 'none configured: callers in networks that only allow https need one (TURN_URLS)';
        findings.skipped('TURN', text);
      }
      for (const { finding } of results) findings.add(finding);
    },
  };
}

interface Asked {
  finding: Finding;
  reachesMedia: boolean;
}

async function findingOf(
  url: string,
  { username, credential }: Pick<IceServer, 'username' | 'credential'>,
  media: Media,
): Promise<Asked> {
  const finding = (outcome: 'ok' | 'error', text: string, remedy?: string): Finding => ({
    outcome,
    subject: url,
    text,
    ...(remedy !== undefined && { remedy }),
  });
  try {
    const read = readIceUrl(url);
    if (!read) throw new Error('is not a stun:, turn: or turns: URL');
    if (!read.isTurn) {
      return {
        finding: finding('ok', `sees this machine as ${await requestStunAddress(read.server)}`),
        reachesMedia: false,
      };
    }
    if (username === undefined || credential === undefined) throw new Error('has no user name and password');
    await using allocation = await allocate(read.server, username, credential);
    const errors = await mediaErrors(allocation, media);
    if (errors === null) {
      const text = `relays through ${allocation.relayed} to the media-worker`;
      return { finding: finding('ok', text), reachesMedia: true };
    }
    const text = `relays through ${allocation.relayed}, but does not reach a media-worker: ${errors}`;
    return { finding: finding('error', text, REMEDIES.way), reachesMedia: false };
  } catch (thrown) {
    return { finding: finding('error', reasonOf(thrown).text, REMEDIES.server), reachesMedia: false };
  }
}

/** Null if one of the worker's addresses responds through the relay. */
async function mediaErrors(allocation: Allocation, media: Media): Promise<string | null> {
  const { iceCandidates, iceParameters } = media;
  const errors: string[] = [];
  for (const candidate of iceCandidates.filter(({ protocol }) => protocol === 'udp')) {
    try {
      await checkIceThroughTurn(allocation, candidate, iceParameters);
      return null;
    } catch (thrown) {
      errors.push(`${candidate.address}:${candidate.port}: ${reasonOf(thrown).text}`);
    }
  }
  return errors.join('; ') || 'it has no UDP address';
}
