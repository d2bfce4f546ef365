import type { SipCallState } from '@calls/api-contract/bus/stored-dialog';
import type { Logger } from '@calls/foundation/logger';
import type { HostedCall } from '../../calls/hosted-call.ts';
import { followMessages } from '../leg/follow-messages.ts';
import type { MovedLeg } from './moved-leg.ts';
import { finish, SipLeg, type SipDeps } from '../leg/sip-leg.ts';
import { runConversation } from '../leg/established-call.ts';

export type ResumedCall = Pick<
  HostedCall,
  'end' | 'endsWith' | 'released' | 'join' | 'lease' | 'note' | 'spec'
>;

/**
 * Continues the conversation of a call of another worker, which stored `state`. Resolves when all its resources are
 * released. A state is stored from the start, so that a third worker can continue the call if this one stops.
 */
export async function resumeCall(
  deps: Pick<SipDeps, 'clock' | 'holds' | 'invite' | 'logs' | 'meter' | 'record' | 'storeLog'>,
  call: ResumedCall,
  { dialog, media, outcome }: Pick<MovedLeg, 'dialog' | 'media' | 'outcome'>,
  state: Pick<SipCallState, 'dialledAtMs' | 'media'>,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
): Promise<void> {
  await using _ = media;
  const leg = new SipLeg(call, state.dialledAtMs, deps.clock);
  leg.settle('SIP_TERMINATION_UNKNOWN');
  deps.logs.follow(dialog.callId, followMessages(call));
  void call.released.then(({ kind }) => (kind === 'ended' ? dialog.bye() : dialog.release()));
  const stored = deps.record(call.lease, () => stateBeforeAnswer(state, dialog, media), log);
  dialog.onChanged(() => stored.changed());
  stored.changed();
  const moved = await outcome;
  if (moved.kind === 'moved') {
    await stored.close(false);
    await runConversation({ ...deps, log }, call, { dialog, media, leg });
  } else {
    if (moved.kind === 'unusable') void dialog.bye();
    const { by } = await dialog.ended;
    const reason = moved.kind === 'unusable' ? moved.refusal.reason : undefined;
    log.info({ by, reason }, 'SIP peer did not continue the call with this worker');
    if (by === 'remote') leg.settle('SIP_TERMINATION_NORMAL');
    call.end(by === 'remote' ? 'hangup' : 'connection_error');
    const { kind } = await call.released;
    await stored.close(kind !== 'handed_over');
  }
  await finish(deps, call, leg, dialog.callId);
}

/** The state to store until the peer has answered this worker: its audio is as the other worker left it. */
function stateBeforeAnswer(
  { dialledAtMs, media: earlier }: Pick<SipCallState, 'dialledAtMs' | 'media'>,
  dialog: Pick<MovedLeg['dialog'], 'snapshot'>,
  media: Pick<MovedLeg['media'], 'snapshot'>,
): SipCallState {
  const current = dialog.snapshot();
  return {
    dialog: { ...current, routeSet: [...current.routeSet] },
    media: { ...earlier, version: media.snapshot().version },
    dialledAtMs,
  };
}
