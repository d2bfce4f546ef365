import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { DeleteButton } from '../../../components/delete-button.tsx';
import { stateOf } from '../call-labels.ts';
import { HangUp } from '../hang-up.tsx';
import { MakeTest } from './make-test.tsx';

/** Actions on a call: hang up a live one, make a test from an ended one with messages, and delete. */
export function CallActions({ call }: { call: Schemas['Call'] }) {
  return (
    <>
      {stateOf(call) === 'live' && <HangUp callId={call.callId} />}
      {stateOf(call) === 'ended' && call.joined !== null && <MakeTest call={call} />}
      <Delete call={call} />
    </>
  );
}

function Delete({ call }: { call: Schemas['Call'] }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { callId } = call;
  return (
    <DeleteButton
      what="call"
      title="Delete this call?"
      onConfirm={() => dataOf(api.DELETE('/api/calls/{call_id}', { params: { path: { call_id: callId } } }))}
      onDone={() => {
        void navigate('/calls');
        void queries.invalidateQueries({ queryKey: ['calls'] });
      }}
    >
      {stateOf(call) === 'ended' ? '' : 'The call is ended first. '}
      Its transcript, recording, events and summary are permanently deleted. Its times and billing remain.
    </DeleteButton>
  );
}
