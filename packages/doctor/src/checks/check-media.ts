import type { IceCandidate, SignalReady } from '@calls/api-contract/signalling/signal-messages';
import type { Findings } from '../findings.ts';
import { isLocal, isPrivate } from '../hosts.ts';
import { reasonOf } from '../reason.ts';
import { checkIce } from '../stun/check-ice.ts';
import type { Relays } from './check-relays.ts';

interface Way {
  candidate: IceCandidate;
  /** Why the port is closed; null if it is open. */
  problem: string | null;
}

/** Whether the media-worker is reachable at its announced addresses, or only by TURN. */
export async function checkMedia(
  joinUrl: URL,
  ready: SignalReady,
  relays: Promise<Pick<Relays, 'reachMedia'>>,
  findings: Findings,
): Promise<void> {
  const { iceCandidates, iceParameters } = ready.receiveTransport;
  const ways = await Promise.all(
    iceCandidates.map(async (candidate): Promise<Way> => {
      const problem = await checkIce(candidate, iceParameters).then(
        () => null,
        (thrown: unknown) => reasonOf(thrown).text,
      );
      return { candidate, problem };
    }),
  );
  const { reachMedia } = await relays;
  tellWays(ways, reachMedia, findings);
  const isElsewhere = (host: string): boolean => !isLocal(host) && !isPrivate(host);
  if (isElsewhere(joinUrl.hostname) && !iceCandidates.some(({ address }) => isElsewhere(address))) {
    findings.error(
      'announced addresses',
      `${[...new Set(iceCandidates.map(({ address }) => address))].join(', ')}: no public address`,
      'set RTC_ANNOUNCED_ADDRESS to the public address of the media-worker',
    );
  }
}

function tellWays(ways: readonly Way[], isRelayed: boolean, findings: Findings): void {
  const isOpen = (protocol: string): boolean =>
    ways.some(({ candidate, problem }) => candidate.protocol === protocol && problem === null);
  for (const { candidate, problem } of ways) {
    if (problem === null) findings.ok(`media at ${nameOf(candidate)}`, 'responds to connectivity checks');
  }
  const closed = ways.filter(({ problem }) => problem !== null);
  const said = closed.map(({ candidate, problem }) => `${nameOf(candidate)}: ${problem}`).join('; ');
  const port = [...new Set(ways.map(({ candidate }) => candidate.port))].join(', ') || 'RTC_PORT';
  if (!isOpen('udp') && !isOpen('tcp')) {
    const remedy = `open port ${port}, UDP and TCP, to the media-worker; RTC_ANNOUNCED_ADDRESS must be the address that leads there from here`;
    if (isRelayed) findings.warning('media', `only reachable through TURN: ${said}`, remedy);
    else findings.error('media', `not reachable: ${said || 'it has no address'}`, remedy);
  } else if (!isOpen('udp')) {
    findings.warning(
      'media',
      `only TCP works, and voice over TCP stutters when packets are lost: ${said}`,
      `open UDP port ${port} to the media-worker as well`,
    );
  } else if (!isOpen('tcp')) {
    findings.warning(
      'media',
      `only UDP works, and some networks block it: ${said}`,
      `open TCP port ${port} to the media-worker as well`,
    );
  } else if (closed.length > 0) {
    findings.skipped('media', `announced as well, but not reachable from here: ${said}`);
  }
}

function nameOf({ protocol, address, port }: IceCandidate): string {
  return `${protocol} ${address.includes(':') ? `[${address}]` : address}:${port}`;
}
