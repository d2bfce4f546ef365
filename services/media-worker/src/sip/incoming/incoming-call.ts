import type { SipSpec } from '@calls/api-contract/call-spec';
import { SIP_INVITE_REQUEST } from '@calls/api-contract/bus/sip-invites';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import { AppError, toError } from '@calls/foundation/errors';
import { newId } from '@calls/foundation/ids';
import type { Logger } from '@calls/foundation/logger';
import type { Dialog, IncomingInvite } from '@calls/sip/calls';
import { isRefusal, type SdpRefusal } from '@calls/transports/sip/remote-media';
import type { Slots } from '../../admission/slots.ts';
import type { CallHost } from '../../calls/call-host.ts';
import type { HostedCall } from '../../calls/hosted-call.ts';
import { inviteRequestMessage } from './invite-request-message.ts';
import { followMessages } from '../leg/follow-messages.ts';
import { finish, SipLeg, type CallMedia, type SipDeps } from '../leg/sip-leg.ts';
import type { SipRegistrations } from '../sip-registrations.ts';
import { runConversation } from '../leg/established-call.ts';

export interface IncomingDeps extends SipDeps {
  requests: Pick<ControlPlaneRequests, 'send'>;
  host: Pick<CallHost, 'receive'>;
  slots: Pick<Slots, 'release' | 'tryReserve'>;
  registrations: Pick<SipRegistrations, 'of'>;
  log: Logger;
}

/** Retry-After for callers that are rejected for now. */
export const RETRY_AFTER_S = 5;
/** Time limit of an INVITE decision, including a retry at a second control-plane. */
const REPLY_LIMIT_MS = 15_000;

/**
 * Accepts an incoming INVITE if a slot is free and a control-plane creates the call, and runs it. Resolves when all its
 * resources are released. Does not reject.
 */
export async function handleInvite(deps: IncomingDeps, invite: IncomingInvite): Promise<void> {
  const { slots, logs, meter, log } = deps;
  if (!slots.tryReserve('standard')) {
    meter.refused('no_room');
    invite.reject(503, 'No Room', RETRY_AFTER_S);
    return;
  }
  let call: HostedCall | null = null;
  try {
    const dialledAtMs = deps.clock.wallMs();
    await using media = await deps.openMedia();
    const describe = (): string | SdpRefusal =>
      invite.sdp === null ? media.offer(invite.source.address) : media.answer(invite.sdp);
    const refuse = ({ status, reason }: SdpRefusal): void => {
      meter.refused('refused');
      invite.reject(status, reason);
    };
    // No call is created for an offer that cannot be answered.
    const anySdp = describe();
    if (isRefusal(anySdp)) {
      refuse(anySdp);
      return;
    }
    call = await createdCall(deps, invite);
    if (!call) return;
    const codecs = codecsOf(call);
    if (codecs) media.useCodecs(codecs);
    const sdp = codecs ? describe() : anySdp;
    if (isRefusal(sdp)) {
      call.end('connection_error');
      refuse(sdp);
      return;
    }
    await serve(deps, { call, invite, media, sdp, dialledAtMs });
  } catch (thrown) {
    log.error({ err: toError(thrown) }, 'incoming SIP call failed');
    meter.refused('failed');
    call?.end('system_error');
    // Trunks then try another worker; after a 500 they give up.
    invite.reject(503, 'Service Unavailable', RETRY_AFTER_S);
  } finally {
    if (!call) {
      slots.release();
      logs.take(invite.callId);
    }
  }
}

/** The codecs of the call's trunk, if it has any. */
function codecsOf({ spec: { medium } }: HostedCall): SipSpec['codecs'] {
  return medium.kind === 'sip' ? medium.codecs : undefined;
}

/** Null if the INVITE was rejected. The call is created even if the caller has cancelled, so that its end is reported. */
async function createdCall(
  { requests, registrations, host, meter }: IncomingDeps,
  invite: IncomingInvite,
): Promise<HostedCall | null> {
  const request = inviteRequestMessage(
    { callId: newId(), registrationId: registrations.of(invite), trunkId: invite.grant },
    invite,
  );
  const reply = await requests.send(SIP_INVITE_REQUEST, request, AbortSignal.timeout(REPLY_LIMIT_MS));
  if (reply.kind === 'reject') {
    meter.refused('refused');
    invite.reject(reply.status, reply.reason);
    return null;
  }
  const call = await host.receive(reply.created);
  if (!call)
    throw new AppError('not_held', 'this worker cannot run the incoming SIP call', { retryable: true });
  return call;
}

interface ServedCall {
  call: HostedCall;
  invite: IncomingInvite;
  media: CallMedia;
  /** The local answer, or the local offer if the caller made none. */
  sdp: string;
  dialledAtMs: number;
}

async function serve(
  deps: IncomingDeps,
  { call, invite, media, sdp, dialledAtMs }: ServedCall,
): Promise<void> {
  const { clock, logs, log } = deps;
  const leg = new SipLeg(call, dialledAtMs, clock);
  logs.claim(invite.callId);
  logs.follow(invite.callId, followMessages(call));
  // This has no effect once the dialog is established.
  void call.released.then(() => invite.reject(480, 'Temporarily Unavailable'));
  invite.ring();
  const dialog = await accepted(invite, sdp, (error) => {
    log.info({ callId: call.callId, code: error.code }, 'incoming SIP call was not completed');
    if (error.code === 'not_acknowledged') leg.settle('SIP_TERMINATION_UNKNOWN');
  });
  if (!dialog) call.end('hangup');
  else if (invite.sdp === null && (dialog.remoteSdp === null || media.takeAnswer(dialog.remoteSdp))) {
    leg.settle('SIP_TERMINATION_UNKNOWN');
    call.end('connection_error');
    await dialog.bye();
  } else await runConversation(deps, call, { dialog, media, leg });
  await finish(deps, call, leg, invite.callId);
}

/** Null if the caller cancelled or no longer responds. */
async function accepted(
  invite: IncomingInvite,
  sdp: string,
  onError: (error: AppError) => void,
): Promise<Dialog | null> {
  try {
    return await invite.accept(sdp);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    onError(thrown);
    return null;
  }
}
