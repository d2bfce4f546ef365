import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Blocker } from 'react-router';

/** Asks for confirmation before leaving a page with unsaved changes. */
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
        <Text c="dimmed">Your changes will be lost.</Text>
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
