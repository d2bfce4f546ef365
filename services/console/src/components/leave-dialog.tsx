import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Blocker } from 'react-router';

/** Asks for confirmation before leaving a page. */
export function LeaveDialog(props: {
  blocker: Blocker;
  /** The question. */
  title: string;
  /** Consequences of leaving. */
  children: ReactNode;
  leaveLabel: string;
  onLeave?: () => void;
}) {
  const { blocker, title, children, leaveLabel, onLeave } = props;
  const stay = (): void => blocker.reset?.();
  const leave = (): void => {
    onLeave?.();
    blocker.proceed?.();
  };
  return (
    <Modal
      opened={blocker.state === 'blocked'}
      onClose={stay}
      title={<Text fw={600}>{title}</Text>}
      size="sm"
    >
      <Stack>
        <Text c="dimmed">{children}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={leave}>
            {leaveLabel}
          </Button>
          <Button onClick={stay} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
