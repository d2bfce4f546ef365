import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Blocker } from 'react-router';
import type { Loss } from './losses.ts';

/** Asks for confirmation before leaving a page with unsaved changes or a live call. */
export function LeaveDialog({ losses, blocker }: { losses: readonly Loss[]; blocker: Blocker }) {
  const { title, text, leave } = questionOf(losses);
  const stay = (): void => blocker.reset?.();
  return (
    <Modal
      opened={blocker.state === 'blocked'}
      onClose={stay}
      title={<Text fw={600}>{title}</Text>}
      size="sm"
    >
      <Stack>
        <Text c="dimmed">{text}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            {leave}
          </Button>
          <Button onClick={stay} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function questionOf(losses: readonly Loss[]): { title: string; text: string; leave: string } {
  const leave = 'Hang up and leave';
  if (!losses.includes('call')) {
    return { title: 'Leave without saving?', text: 'Your changes will be lost.', leave: 'Leave' };
  }
  if (!losses.includes('changes')) {
    return { title: 'Hang up?', text: 'Leaving this page ends the call.', leave };
  }
  return {
    title: 'Hang up and leave without saving?',
    text: 'Leaving this page ends the call, and your changes will be lost.',
    leave,
  };
}
