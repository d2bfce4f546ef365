import type { SipSpec } from '@calls/api-contract/call-spec';
import type { Logger } from '@calls/foundation/logger';
import type { Dialog, OutgoingCall, OutgoingInvite, PeerReferral } from '@calls/sip/calls';
import type { HostedCall } from '../../calls/hosted-call.ts';
import { CallDialogs } from './call-dialogs.ts';
import type { CallMedia, SipDeps, SipLeg } from './sip-leg.ts';
import { hostOf, transferUri } from '../sip-address.ts';

/** A call with an established dialog and negotiated media. */
export interface EstablishedCall {
  dialog: Dialog;
  media: CallMedia;
  leg: Pick<SipLeg, 'dialledAtMs' | 'settle'>;
}

type ConversationDeps = Pick<SipDeps, 'holds' | 'invite' | 'logs' | 'record'> & {
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
};

/** Time limit for an answer by the target of a peer's REFER. It is shorter than the time limit without media. */
const REFERRED_RING_LIMIT_MS = 25_000;

/** Runs the conversation. Resolves when the last dialog has ended. */
export async function runConversation(
  { holds, invite, logs, record, log }: ConversationDeps,
  call: Pick<HostedCall, 'released' | 'join' | 'lease' | 'spec'>,
  { dialog, media, leg }: EstablishedCall,
): Promise<void> {
  leg.settle('SIP_TERMINATION_NORMAL');
  const { medium, accountId } = call.spec;
  const stored = record(
    call.lease,
    () => {
      const current = dialogs.current.snapshot();
      const { dialledAtMs } = leg;
      return {
        dialog: { ...current, routeSet: [...current.routeSet] },
        media: media.snapshot(),
        dialledAtMs,
      };
    },
    log,
  );
  const contact = (): string => dialogs.current.snapshot().remoteTarget;
  const dialogs = new CallDialogs(dialog, {
    media,
    log,
    onChanged: () => stored.changed(),
    onKey: (key) => transport.keyPressed(key),
    call(referral, sdp) {
      if (medium.kind !== 'sip') throw new Error('the call is not a SIP call');
      const placed = referredCall(
        { invite, party: medium, owner: accountId, contact: contact() },
        referral,
        sdp,
      );
      logs.join(placed.callId, dialog.callId);
      return placed;
    },
  });
  const transport = media.transport({
    // The call ends when BYE is sent: a disconnected peer does not respond to it.
    hangUp: async (reason) => {
      const mayContinue = reason === 'service_restart' || !(await holds(call.lease));
      await (mayContinue ? dialogs.release() : dialogs.hangUp());
    },
    transfer: (target) =>
      dialogs.current.refer(medium.kind === 'sip' ? transferUri(target, medium, contact()) : target),
  });
  const ended = dialogs.ended.then(({ by }) => {
    if (by === 'lost') leg.settle('SIP_TERMINATION_UNKNOWN');
    transport.ended(by);
  });
  // The call may have ended while the phone rang.
  if (!call.join(transport, null)) await transport.close('unjoined');
  await ended;
  const { kind } = await call.released;
  await stored.close(kind !== 'handed_over');
  // The log also contains its last messages.
  const { by } = await dialogs.ended;
  if (kind === 'ended' && by !== 'released') await dialogs.current.bye();
}

/** The fields of a call that the target of a peer's REFER is called with. */
type ReferringCall = Credentialed & Pick<OutgoingInvite, 'from' | 'outboundProxy'>;

/** Calls the target of a peer's REFER with the identity of the call, through the same proxy. `contact`: the peer's. */
export function referredCall(
  {
    invite,
    party,
    owner,
    contact,
  }: Pick<SipDeps, 'invite'> & { party: ReferringCall; owner: string; contact?: string },
  { target, replaces, referredBy }: PeerReferral,
  sdp: OutgoingInvite['sdp'],
): OutgoingCall {
  const number = /^tel:(?<number>[^;]*)/iu.exec(target)?.groups?.['number'];
  const to = number === undefined ? target : transferUri(number, party, contact);
  return invite({
    to,
    from: party.direction === 'outgoing' ? party.from : party.to,
    credentials: credentialsFor(to, party),
    outboundProxy: party.outboundProxy,
    headers: [
      ...(replaces === null ? [] : [['Replaces', replaces] as const]),
      ...(referredBy === null ? [] : [['Referred-By', referredBy] as const]),
    ],
    sdp,
    ringLimitMs: REFERRED_RING_LIMIT_MS,
    owner,
  });
}

type Credentialed = Pick<SipSpec, 'direction' | 'to' | 'username' | 'password'>;

/** Returns the call's credentials if `to` is at the server that the call was placed at. */
export function credentialsFor(to: string, { direction, to: called, username, password }: Credentialed) {
  const isSameHost = direction === 'outgoing' && hostOf(to)?.toLowerCase() === hostOf(called)?.toLowerCase();
  return isSameHost && username !== null && password !== null ? { username, password } : null;
}
