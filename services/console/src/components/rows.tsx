import { ActionIcon, Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PlusIcon, TrashIcon } from 'lucide-react';
import classes from './rows.module.css';

/** A list of removable items, each a group of fields, and a button to add one. */
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
