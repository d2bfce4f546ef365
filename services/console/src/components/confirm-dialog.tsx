import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from './states.tsx';

/** Asks for confirmation. Stays open and shows the error if the action fails. */
export function ConfirmDialog(props: {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Verb phrase for the action: `Delete agent`. */
  confirmLabel: string;
  /** Whether the action can be undone. */
  isHarmless?: boolean;
  onConfirm: () => Promise<unknown>;
  /** Called after success, when the dialog is closed. */
  onDone?: () => void;
}) {
  const action = useMutation({
    mutationFn: props.onConfirm,
    onSuccess: () => {
      props.onClose();
      props.onDone?.();
    },
  });
  const close = (): void => {
    action.reset();
    props.onClose();
  };
  return (
    <Modal opened={props.opened} onClose={close} title={<Text fw={600}>{props.title}</Text>} size="md">
      <Stack>
        <Text component="div" c="dimmed">
          {props.children}
        </Text>
        {action.error && <ErrorState error={action.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button
            {...(!props.isHarmless && { color: 'red.8' })}
            onClick={() => action.mutate()}
            loading={action.isPending}
          >
            {props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
