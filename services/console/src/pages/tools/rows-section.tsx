import { ActionIcon, Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PlusIcon, TrashIcon } from 'lucide-react';
import { useField } from '../../components/editor/editor.tsx';
import { Section } from '../../components/layout.tsx';
import classes from './tools.module.css';

/** A list of the definition, with a group of fields for each item. */
export function RowsSection<Item>(props: {
  title: string;
  description: string;
  /** Path of the list. */
  list: string;
  /** `parameter`. */
  what: string;
  /** A new item. */
  added: Item;
  row: (item: Item, at: number) => ReactNode;
}) {
  return (
    <Section title={props.title} description={props.description}>
      <Rows {...props} />
    </Section>
  );
}

/** The items of a list of the definition. */
export function Rows<Item>(props: {
  list: string;
  what: string;
  added: Item;
  row: (item: Item, at: number) => ReactNode;
}) {
  const { value, set } = useField(props.list);
  return (
    <RowsOf<Item>
      {...props}
      items={Array.isArray(value) ? value : []}
      onChange={(changed) => set(changed.length === 0 ? undefined : changed)}
    />
  );
}

/** Items with a group of fields each, of which any can be removed, and a button to add one. */
export function RowsOf<Item>(props: {
  items: readonly Item[];
  onChange: (items: readonly Item[]) => void;
  what: string;
  added: Item;
  row: (item: Item, at: number) => ReactNode;
}) {
  const { items, onChange, what, added, row } = props;
  return (
    <Stack gap="sm" align="stretch">
      {items.map((item, at) => (
        <fieldset key={at} className={classes.row} aria-label={`${what} ${at + 1}`}>
          <Stack gap="sm">{row(item, at)}</Stack>
          <ActionIcon
            aria-label={`Remove ${what} ${at + 1}`}
            onClick={() => onChange(items.filter((_, other) => other !== at))}
          >
            <TrashIcon size={16} />
          </ActionIcon>
        </fieldset>
      ))}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={15} />}
          onClick={() => onChange([...items, added])}
        >
          Add {what}
        </Button>
      </div>
    </Stack>
  );
}
