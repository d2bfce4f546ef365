import { useParams } from 'react-router';
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
