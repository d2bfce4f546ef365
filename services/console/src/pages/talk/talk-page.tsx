import { useBlocker, useParams } from 'react-router';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { useUnloadWarning } from '../../components/use-unload-warning.ts';
import { EndedCall } from './ended-call.tsx';
import { LiveCall } from './live-call.tsx';
import { TalkSetup } from './talk-setup.tsx';
import { useTalkCall } from './use-talk-call.ts';
import { useTalkSetup } from './use-talk-setup.ts';

/** The page to talk to an agent or an ad-hoc prompt. */
export function Component() {
  const { agentId = '' } = useParams();
  const setup = useTalkSetup(agentId);
  const { call, state } = useTalkCall(agentId);
  const view = { call, state, partnerName: setup.partnerName };
  const start = (isText: boolean): void => {
    void call.start({ partner: setup.partner, microphoneId: isText ? null : setup.microphoneId });
  };
  if (state.phase === 'inCall') return <LiveCall {...view} />;
  if (state.phase === 'ended') return <EndedCall {...view} onAgain={() => start(!state.hasMicrophone)} />;
  return <TalkSetup setup={setup} call={call} state={state} onStart={start} />;
}

/** Asks for confirmation before navigation ends the call, and makes the browser ask before the tab is closed. */
function ConfirmedLeave({ onLeave }: { onLeave: () => void }) {
  const blocker = useBlocker(true);
  useUnloadWarning(true);
  return (
    <LeaveDialog blocker={blocker} title="Hang up?" leaveLabel="Hang up and leave" onLeave={onLeave}>
      Leaving this page ends the call.
    </LeaveDialog>
  );
}
