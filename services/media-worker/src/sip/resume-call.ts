import type { SipCallState } from '@calls/api-contract/bus/stored-dialog';
import type { SipSpec } from '@calls/api-contract/call-spec';
import type { Logger } from '@calls/foundation/logger';
import type { HeldCall } from '../calls/held-call.ts';
import { finish, SipLeg, type SipDeps } from './sip-leg.ts';
import { talk } from './standing-call.ts';

/** How long the peer may take to answer the offer of the new worker. */
const ANSWER_LIMIT_MS = 10_000;

export type ResumedCall = Pick<HeldCall, 'end' | 'endsWith' | 'fate' | 'join' | 'lease' | 'spec'>;

/**
 * Continues a call of another worker: offers a port of this worker to the peer and runs the conversation. Resolves when
 * all its resources are released. Rejects if no port is free.
 */
export async function resumeCall(
  deps: SipDeps,
  call: ResumedCall,
  medium: SipSpec,
  state: SipCallState,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
): Promise<void> {
  const { openMedia, resume, logs, clock } = deps;
  await using media = await openMedia(medium.mediaEncryption, state.media);
  if (medium.codecs) media.useCodecs(medium.codecs);
  const leg = new SipLeg(call, state.dialledAtMs, clock);
  leg.settle('SIP_TERMINATION_UNKNOWN');
  const dialog = resume(state.dialog, credentialsOf(medium));
  logs.claim(dialog.callId);
  dialog.onReinvite(media);
  void call.fate.then(({ kind }) => (kind === 'ended' ? dialog.bye() : dialog.release()));
  const sdp = await dialog.move(media.offer(state.dialog.peer.address), ANSWER_LIMIT_MS);
  const refusal = sdp === null ? null : media.takeAnswer(sdp);
  if (sdp !== null && !refusal) await talk({ ...deps, log }, call, { dialog, media, leg });
  else {
    if (refusal) void dialog.bye();
    const { by } = await dialog.ended;
    log.info({ by, reason: refusal?.reason }, 'SIP peer did not continue the call with this worker');
    if (by === 'remote') leg.settle('SIP_TERMINATION_NORMAL');
    call.end(by === 'remote' ? 'hangup' : 'connection_error');
  }
  await finish(deps, call, leg, dialog.callId);
}

/** Ends the dialog of a call that no worker can continue. */
export async function hangUpPeer(
  { resume }: Pick<SipDeps, 'resume'>,
  medium: SipSpec,
  { dialog }: SipCallState,
): Promise<void> {
  await resume(dialog, credentialsOf(medium)).bye();
}

function credentialsOf({ username, password }: SipSpec) {
  return username === null || password === null ? null : { username, password };
}
