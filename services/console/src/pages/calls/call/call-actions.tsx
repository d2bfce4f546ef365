import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { answerOf, api, type Schemas } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { StopIcon, TrashIcon } from '../../../icons/icons.tsx';
import { stateOf } from '../call-words.ts';
import { sendToCall } from './use-call.ts';

/** Hanging up while it goes on, deleting in any case. */
export function CallActions({ call }: { call: Schemas['Call'] }) {
  return (
    <>
      {stateOf(call) === 'live' && <HangUp callId={call.callId} />}
      <Delete call={call} />
    </>
  );
}

function HangUp({ callId }: { callId: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  const queries = useQueryClient();
  return (
    <>
      <Button color="red.8" leftSection={<StopIcon size={16} />} onClick={open}>
        Hang up
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title="Hang up this call?"
        confirmLabel="Hang up"
        onConfirm={() => sendToCall(callId, { type: 'hang_up' })}
        onDone={() => void queries.invalidateQueries({ queryKey: ['call', callId] })}
      >
        The agent is cut off and the user is gone at once. It counts as ended by the agent.
      </ConfirmDialog>
    </>
  );
}

function Delete({ call }: { call: Schemas['Call'] }) {
  const [opened, { open, close }] = useDisclosure(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { callId } = call;
  return (
    <>
      <Button variant="default" leftSection={<TrashIcon size={16} />} onClick={open}>
        Delete
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title="Delete this call?"
        confirmLabel="Delete call"
        onConfirm={() =>
          answerOf(api.DELETE('/api/calls/{call_id}', { params: { path: { call_id: callId } } }))
        }
        onDone={() => {
          void navigate('/calls');
          void queries.invalidateQueries({ queryKey: ['calls'] });
        }}
      >
        {stateOf(call) === 'ended' ? '' : 'It is hung up first. '}
        Its transcript, recording, events and summary are gone for good. Its times and its bill stay.
      </ConfirmDialog>
    </>
  );
}
