import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** At the end of a form: sends it, or leaves it. `aside`: what else can be done with it. */
export function FormActions(props: {
  submitLabel: string;
  isSending: boolean;
  onCancel: () => void;
  aside?: ReactNode;
}) {
  return (
    <Group justify="space-between">
      {props.aside ?? <span />}
      <Group gap="xs">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={props.isSending}>
          {props.submitLabel}
        </Button>
      </Group>
    </Group>
  );
}
