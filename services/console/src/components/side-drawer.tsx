import { Drawer, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A drawer beside the page, for a list item or a form. */
export function SideDrawer(props: {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={props.opened}
      onClose={props.onClose}
      position="right"
      size="md"
      title={<Text fw={600}>{props.title}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {props.children}
    </Drawer>
  );
}
