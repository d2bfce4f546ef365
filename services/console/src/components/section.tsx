import { Card, Group, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

/** A part of a page with a heading of its own, on a card. `flush`: its content reaches the card's edges (tables). */
export function Section(props: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const flush = props.flush ?? false;
  return (
    <Card component="section" aria-labelledby={id} padding={flush ? 0 : 'lg'}>
      <Group
        justify="space-between"
        mb={flush ? 0 : 'md'}
        px={flush ? 'lg' : 0}
        py={flush ? 'sm' : 0}
        gap="sm"
      >
        <div>
          <Title order={2} id={id}>
            {props.title}
          </Title>
          {props.description !== undefined && (
            <Text c="dimmed" fz="sm" maw="65ch">
              {props.description}
            </Text>
          )}
        </div>
        {props.actions}
      </Group>
      {props.children}
    </Card>
  );
}
