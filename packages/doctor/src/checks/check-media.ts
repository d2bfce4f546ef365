import type { IceCandidate, SignalReady } from '@calls/api-contract';
import { toError } from '@calls/foundation';
import type { Findings } from '../findings.ts';
import { isLocal, isPrivate } from '../hosts.ts';
import { askIce } from '../stun/ask-ice.ts';

interface Way {
  candidate: IceCandidate;
  /** Why it is closed; null: it is open. */
  fault: string | null;
}

/** Whether the media worker is reached where it tells browsers that it is. */
export async function checkMedia(joinUrl: URL, ready: SignalReady, findings: Findings): Promise<void> {
  const { iceCandidates, iceParameters } = ready.receiveTransport;
  const ways = await Promise.all(
    iceCandidates.map(async (candidate): Promise<Way> => {
      const fault = await askIce(candidate, iceParameters).then(
        () => null,
        (thrown: unknown) => toError(thrown).message,
      );
      return { candidate, fault };
    }),
  );
  tellWays(ways, findings);
  const isElsewhere = (host: string): boolean => !isLocal(host) && !isPrivate(host);
  if (isElsewhere(joinUrl.hostname) && !iceCandidates.some(({ address }) => isElsewhere(address))) {
    findings.fault(
      'announced addresses',
      `${[...new Set(iceCandidates.map(({ address }) => address))].join(', ')}: none that the internet leads to`,
      'set RTC_ANNOUNCED_ADDRESS to the public address of the media worker',
    );
  }
}

function tellWays(ways: readonly Way[], findings: Findings): void {
  const open = ways.filter(({ fault }) => fault === null);
  const closed = ways.filter(({ fault }) => fault !== null);
  for (const { candidate } of open)
    findings.ok(`media at ${nameOf(candidate)}`, 'answers as a browser asks it');
  const said = closed.map(({ candidate, fault }) => `${nameOf(candidate)} (${fault})`).join(', ');
  const ports = [...new Set(ways.map(({ candidate }) => candidate.port))].join(', ');
  if (open.length === 0) {
    findings.fault(
      'media',
      ways.length === 0 ? 'the media worker offers no address' : `no way to it: ${said}`,
      `open port ${ports || 'RTC_PORT'}, UDP and TCP, to the media worker; RTC_ANNOUNCED_ADDRESS must be the address that leads there from here`,
    );
  } else if (!open.some(({ candidate }) => candidate.protocol === 'udp')) {
    findings.warning(
      'media',
      `TCP alone gets through, and voice over TCP stutters where packets are lost: ${said}`,
      `open UDP port ${ports} to the media worker as well`,
    );
  } else {
    for (const { candidate, fault } of closed) {
      const remedy = `calls go by another way; browsers that have only this one ${candidate.protocol === 'tcp' ? '(networks that let no UDP out) ' : ''}can't call`;
      findings.warning(`media at ${nameOf(candidate)}`, fault ?? '', remedy);
    }
  }
}

function nameOf({ protocol, address, port }: IceCandidate): string {
  return `${protocol} ${address.includes(':') ? `[${address}]` : address}:${port}`;
}
