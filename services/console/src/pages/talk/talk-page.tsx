import { useParams } from 'react-router';
import { EndedCall } from './ended-call.tsx';
import { LeaveCallDialog } from './leave-call-dialog.tsx';
import { LiveCall } from './live-call.tsx';
import { TalkSetup } from './talk-setup.tsx';
import { useTalkCall } from './use-talk-call.ts';
import { useTalkOrder } from './use-talk-order.ts';

/** The page to talk to an agent or an ad-hoc prompt. */
export function Component() {
  const { agentId = '' } = useParams();
  const order = useTalkOrder(agentId);
  const { call, state } = useTalkCall();
  const view = { call, state, partnerName: order.partnerName };
  const start = (isText: boolean): void => {
    void call.start({ partner: order.partner, microphoneId: isText ? null : order.microphoneId });
  };
  if (state.phase === 'inCall') {
    return (
      <>
        <LiveCall {...view} />
        <LeaveCallDialog onLeave={() => void call.leave()} />
      </>
    );
  }
  if (state.phase === 'ended') return <EndedCall {...view} onAgain={() => start(!state.hasMicrophone)} />;
  return <TalkSetup order={order} call={call} state={state} onStart={start} />;
}
