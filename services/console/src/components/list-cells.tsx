import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from './resource-table.tsx';
import { RelativeTime } from './time.tsx';

/** A name with a description below it, for the first column of a list. */
export function TitleCell({ title, text }: { title: ReactNode; text: string | null | undefined }) {
  return (
    <>
      {title}
      {text && (
        <Text component="span" fz="sm" fw={400} c="dimmed" lineClamp={2} maw="60ch">
          {text}
        </Text>
      )}
    </>
  );
}

/** The creation time of each item, on wide screens only. */
export function createdColumn<T extends { created: string }>(): Column<T> {
  return {
    key: 'created',
    header: 'Created',
    align: 'right',
    wideOnly: true,
    cell: ({ created }) => <RelativeTime at={created} />,
  };
}

/** An item of a short list in a section: name and detail, and its state and buttons. */
export function ItemRow(props: { name: ReactNode; detail: ReactNode; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs">
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Text component="div" fz="sm" fw={550}>
          {props.name}
        </Text>
        <Text component="div" fz="sm" c="dimmed">
          {props.detail}
        </Text>
      </div>
      <Group gap="xs">{props.children}</Group>
    </Group>
  );
}
