import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { SquareIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { Changes } from '../../components/changes.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';

/** Ends a live call after confirmation. `compact`: for table rows. */
export function HangUp({ callId, compact }: { callId: string; compact?: boolean }) {
  const [opened, { open, close }] = useDisclosure(false);
  const queries = useQueryClient();
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: ['call', callId] });
    void queries.invalidateQueries({ queryKey: ['calls'] });
  };
  return (
    <Changes>
      {compact ? (
        <Tooltip label="Hang up">
          <ActionIcon size="sm" color="red" aria-label="Hang up" onClick={open}>
            <SquareIcon size={15} />
          </ActionIcon>
        </Tooltip>
      ) : (
        <Button color="red.8" leftSection={<SquareIcon size={16} />} onClick={open}>
          Hang up
        </Button>
      )}
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title="Hang up this call?"
        confirmLabel="Hang up"
        onConfirm={() => sendToCall(callId, { type: 'hang_up' })}
        onDone={refresh}
      >
        The call ends immediately. Its end reason will be that the agent hung up.
      </ConfirmDialog>
    </Changes>
  );
}

/** Sends a data message to the worker that runs the call. */
export function sendToCall(callId: string, body: Schemas['SendCallDataMessage']): Promise<unknown> {
  const params = { path: { call_id: callId } };
  return dataOf(api.POST('/api/calls/{call_id}/send_data_message', { params, body }));
}
