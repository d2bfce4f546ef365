import type { CallContext } from '../call-context.ts';
import type { DialogSnapshot, ResumedDialog, SipCredentials } from '../calls.ts';
import { DialogSession } from './dialog-session.ts';

/**
 * More requests than the previous endpoint can have sent since the snapshot. The peer also refuses its late requests
 * then, because their numbers are lower (RFC 3261, 12.2.2).
 */
const CSEQ_STEP = 1000;

/** Continues a dialog of another endpoint. */
export function resumeDialog(
  context: CallContext,
  snapshot: DialogSnapshot,
  credentials: SipCredentials | null,
): ResumedDialog {
  const { peer, isDirect, hasCredentials, hasUpdate, session, ...state } = snapshot;
  return new DialogSession({
    context,
    state: { ...state, localCSeq: state.localCSeq + CSEQ_STEP },
    credentials: hasCredentials ? credentials : null,
    peer,
    isDirect,
    hasConnection: false,
    localSdp: '',
    remoteSdp: null,
    session,
    hasUpdate,
  });
}
