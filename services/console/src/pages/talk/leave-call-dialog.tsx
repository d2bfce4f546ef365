import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from 'react-router';
import { useUnloadWarning } from '../../components/use-unload-warning.ts';

/** Asks for confirmation before navigation ends the call, and makes the browser ask before the tab is closed. */
export function LeaveCallDialog({ onLeave }: { onLeave: () => void }) {
  const blocker = useBlocker(true);
  useUnloadWarning(true);
  const stay = (): void => blocker.reset?.();
  return (
    <Modal
      opened={blocker.state === 'blocked'}
      onClose={stay}
      title={<Text fw={600}>Hang up?</Text>}
      size="sm"
    >
      <Stack>
        <Text c="dimmed">Leaving this page ends the call.</Text>
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            onClick={() => {
              onLeave();
              blocker.proceed?.();
            }}
          >
            Hang up and leave
          </Button>
          <Button onClick={stay} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
