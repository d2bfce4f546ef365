import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Blocker } from 'react-router';

/** Asks before a page with unsaved changes is left. */
export function LeaveDialog({ blocker }: { blocker: Blocker }) {
  const stay = (): void => blocker.reset?.();
  return (
    <Modal
      opened={blocker.state === 'blocked'}
      onClose={stay}
      title={<Text fw={600}>Leave without saving?</Text>}
      size="sm"
    >
      <Stack>
        <Text c="dimmed">What you changed here is lost then.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
          <Button onClick={stay} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
