import { Button, Card, Group, Text, Title } from '@mantine/core';
import { Fragment, useId, type ReactNode } from 'react';
import classes from './facts.module.css';

/** A card with a heading. `flush`: its content reaches the card's edges (tables). */
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

/** Search and filters above a table. */
export function Toolbar({ children }: { children: ReactNode }) {
  return (
    <Group mb="md" gap="sm" align="flex-end">
      {children}
    </Group>
  );
}

/** Submit and cancel buttons of a form. `aside`: further actions. */
export function FormActions(props: {
  submitLabel: string;
  isSending: boolean;
  isDisabled?: boolean;
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
        <Button type="submit" loading={props.isSending} disabled={props.isDisabled}>
          {props.submitLabel}
        </Button>
      </Group>
    </Group>
  );
}

/** A list of names and values; null hides an entry. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode] | null)[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
