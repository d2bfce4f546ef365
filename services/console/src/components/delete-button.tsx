import { Button, type ButtonProps } from '@mantine/core';
import { TrashIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Changes } from './changes.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** A button that deletes something after a confirmation. */
export function DeleteButton(props: {
  /** Name of the deleted thing, for the button of the dialog: `webhook`. */
  what: string;
  /** The question of the dialog. */
  title: string;
  /** Consequences of the deletion. */
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
  onDone: () => void;
  size?: ButtonProps['size'];
  /** Label for assistive technology, if a page has several such buttons. */
  label?: string;
}) {
  const { what, size, label, ...dialog } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <Changes>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<TrashIcon size={16} />}
        onClick={() => setOpen(true)}
        size={size}
        aria-label={label}
      >
        Delete
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        confirmLabel={`Delete ${what}`}
        {...dialog}
      />
    </Changes>
  );
}
