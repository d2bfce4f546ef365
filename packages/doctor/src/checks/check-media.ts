import type { IceCandidate, SignalReady } from '@calls/api-contract';
import { toError } from '@calls/foundation';
import type { Findings } from '../findings.ts';
import { isLocal, isPrivate } from '../hosts.ts';
import { askIce } from '../stun/ask-ice.ts';

/** Whether the media worker is reached where it tells browsers that it is. */
export async function checkMedia(joinUrl: URL, ready: SignalReady, findings: Findings): Promise<void> {
  const { iceCandidates, iceParameters } = ready.receiveTransport;
  const asked = await Promise.all(
    iceCandidates.map(async (candidate) => ({
      candidate,
      fault: await askIce(candidate, iceParameters).then(
        () => null,
        (thrown: unknown) => toError(thrown).message,
      ),
    })),
  );
  for (const { candidate, fault } of asked) {
    const subject = `media at ${nameOf(candidate)}`;
    if (fault === null) findings.ok(subject, 'answers as a browser asks it');
    else if (asked.some(({ fault: other }) => other === null)) {
      findings.warning(subject, fault, 'another way is open; this one costs browsers time');
    } else {
      findings.fault(
        subject,
        fault,
        `open port ${candidate.port}/${candidate.protocol} to the media worker (RTC_PORT), announce what it's reached at (RTC_ANNOUNCED_ADDRESS)`,
      );
    }
  }
  const isElsewhere = (host: string): boolean => !isLocal(host) && !isPrivate(host);
  if (isElsewhere(joinUrl.hostname) && !iceCandidates.some(({ address }) => isElsewhere(address))) {
    findings.fault(
      'announced addresses',
      `${iceCandidates.map(({ address }) => address).join(', ')}: none that the internet leads to`,
      'set RTC_ANNOUNCED_ADDRESS to the public address of the media worker',
    );
  }
  if (!iceCandidates.some(({ protocol }) => protocol === 'udp')) {
    findings.warning(
      'media',
      'is offered over TCP alone',
      'voice over TCP stutters where packets are lost: open UDP',
    );
  }
}

function nameOf({ protocol, address, port }: IceCandidate): string {
  return `${protocol} ${address.includes(':') ? `[${address}]` : address}:${port}`;
}
