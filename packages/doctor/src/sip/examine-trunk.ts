import { randomUUID } from 'node:crypto';
import type { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import type { Static } from 'typebox';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import type { CallFailure } from '@calls/sip/calls';
import type { SipLogEntry } from '@calls/sip/endpoint-options';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { InlineRtp } from '@calls/transports/rtp-thread/inline-rtp';
import { RtpPorts, type RtpPortRange } from '@calls/transports/rtp-thread/rtp-ports';
import { SipMedia } from '@calls/transports/sip/sip-media';
import type { Findings } from '../findings.ts';
import { measureAudio, MEASURED_MS } from './measure-audio.ts';

export interface TrunkTest {
  /** The body of `POST /api/sip/trunks`. */
  trunk: Static<typeof SipTrunk.Request>;
  /** The number or SIP address to call. */
  to: string;
  /** The caller; null: as the trunk says. */
  from: string | null;
  /** IPv4 address that the provider reaches. */
  address: string;
  /** Port for signalling; 0: any free one. */
  port: number;
  rtpPorts: RtpPortRange;
  onMessage: (message: SipLogEntry) => void;
}

const RING_LIMIT_MS = 45_000;

/** Places one call through a trunk, as a media-worker would, and measures its audio. */
export async function examineTrunk(test: TrunkTest, findings: Findings): Promise<void> {
  const { trunk, to, address, port, rtpPorts } = test;
  const { proxy, username, password, outboundProxy } = trunk;
  const target = uriOf(to, proxy ?? null);
  if (target === null) {
    const text = 'the trunk has no proxy, so a number cannot be called';
    findings.error('trunk', text, 'set proxy, or give a SIP address to --to');
    return;
  }
  const caller = test.from ?? trunk.from ?? trunk.numbers?.[0] ?? 'doctor';
  const from = uriOf(caller, (proxy ?? target.split('@')[1] ?? '').split(';')[0] ?? '') ?? caller;
  const clock = systemClock;
  const sentTo = new Set<string>();
  await using endpoint = await openSipEndpoint({
    host: '',
    port,
    address,
    names: createNameResolver({ clock }),
    clock,
    log: silentLogger,
    onInvite: (invite) => invite.reject(486, 'Busy Here'),
    onMessage(message) {
      const { peer, direction } = message;
      if (direction === 'sent') sentTo.add(`${peer.address}:${peer.port} (${peer.transport})`);
      test.onMessage(message);
    },
  });
  const ports = new RtpPorts({ host: '0.0.0.0', range: rtpPorts, engine: new InlineRtp(clock) });
  const meter = { sample: () => undefined };
  await using media = await SipMedia.open({ ports, address, meter, clock });
  if (trunk.codecs?.length) media.useCodecs(trunk.codecs);
  findings.ok('this machine', `signalling at ${address}:${endpoint.port}, advertised to the provider`);
  const outcome = await endpoint.invite({
    to: target,
    from,
    credentials: username && password ? { username, password } : null,
    ...(outboundProxy && { outboundProxy }),
    sdp: media.offer(),
    ringLimitMs: RING_LIMIT_MS,
    owner: randomUUID(),
  }).answered;
  if (sentTo.size > 0) findings.ok('address', `INVITE sent to ${[...sentTo].join(', ')}`);
  if (outcome.kind === 'failed') {
    const { text, remedy } = explain(outcome);
    findings.error('call', text, remedy);
    return;
  }
  const { dialog, sdp } = outcome;
  findings.ok('call', `${target} answered`);
  const refusal = media.takeAnswer(sdp);
  if (refusal) {
    findings.error('codec', refusal.reason, 'allow PCMU or PCMA on the trunk');
    await dialog.bye();
    return;
  }
  dialog.onReinvite(media);
  const transport = media.transport({
    hangUp: async () => {
      await dialog.bye();
    },
  });
  void dialog.ended.then(({ by }) => transport.ended(by));
  const { receivedMs, levelDbfs } = await measureAudio(transport, clock);
  await transport.close('hangup');
  const share = `${Math.round(receivedMs)} of ${MEASURED_MS} ms of audio received`;
  if (receivedMs === 0) findings.error('audio', share, NO_AUDIO_REMEDY);
  else if (receivedMs < MEASURED_MS / 2) findings.warning('audio', share, LITTLE_AUDIO_REMEDY);
  else findings.ok('audio', `${share}, at ${levelDbfs.toFixed(0)} dBFS`);
  findings.skipped(
    'audio to the phone',
    'three tones were sent: ask the person at the phone whether they were audible',
  );
}

const NO_AUDIO_REMEDY =
  'open the RTP ports (UDP) of this machine to the provider, and give --address the address that it reaches';
const LITTLE_AUDIO_REMEDY = 'is there loss on the way, or does the provider send nothing during silence?';

/** A SIP address as it is; a number at the trunk's server. */
function uriOf(to: string, proxy: string | null): string | null {
  if (/^sips?:|@/iu.test(to)) return to;
  return proxy === null ? null : `sip:${to}@${proxy.replace(/^sips?:/iu, '')}`;
}

/** What a failed call means for the trunk's settings. */
function explain({ cause, status, reason }: CallFailure): { text: string; remedy: string } {
  if (cause === 'unreachable') return { text: reason, remedy: 'check proxy: its name, port and transport' };
  if (cause === 'noAnswer') {
    const text = `no final response within ${RING_LIMIT_MS} ms`;
    return { text, remedy: 'does the phone ring? If not, a firewall may drop the packets of either side' };
  }
  const text = status === null ? reason : `${status} ${reason}`;
  return { text, remedy: REMEDIES[status ?? 0] ?? 'ask the provider why, with the Call-ID (--messages)' };
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'check username and password',
  403: 'does the provider know the address of this machine, and allow the caller (--from)?',
  404: 'is the number in the form that the provider expects, such as +4930123456?',
  407: 'check username and password',
  408: 'a firewall may drop the packets of either side',
  484: 'is the number in the form that the provider expects, such as +4930123456?',
  486: 'the phone is busy: the trunk works, try another number',
  488: 'allow PCMU or PCMA on the trunk',
};
