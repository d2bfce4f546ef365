import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Nothing is here yet: says so, and what the next step is. */
export function EmptyState(props: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Text fw={600}>{props.title}</Text>
      {props.children !== undefined && (
        <Text c="dimmed" fz="sm" maw="46ch">
          {props.children}
        </Text>
      )}
      {props.action !== undefined && <div style={{ marginTop: '0.5rem' }}>{props.action}</div>}
    </Stack>
  );
}
