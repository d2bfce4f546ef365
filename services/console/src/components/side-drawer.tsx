import { Drawer, Text } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import type { ReactNode } from 'react';

/**
 * A drawer beside the page, for a list item or a form. Neither Escape nor a click outside closes it while a form is
 * being sent, because an error of the request would then remain unseen.
 */
export function SideDrawer(props: {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}) {
  const isSending = useIsMutating() > 0;
  return (
    <Drawer
      opened={props.opened}
      onClose={props.onClose}
      position="right"
      size="md"
      closeOnEscape={!isSending}
      closeOnClickOutside={!isSending}
      title={<Text fw={600}>{props.title}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {props.children}
    </Drawer>
  );
}
