import type { ReactNode } from 'react';
import { useField } from '../../components/editor/editor.tsx';
import { Section } from '../../components/layout.tsx';
import { RowsOf } from '../../components/rows.tsx';

/** A list of the definition, with a group of fields for each item. */
export function RowsSection<Item>(props: {
  title: string;
  description: string;
  /** Path of the list. */
  list: string;
  /** Name of an item: `parameter`. */
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
