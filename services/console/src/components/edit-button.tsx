import { Button, type ButtonProps } from '@mantine/core';
import { PencilIcon } from 'lucide-react';
import { Changes } from './changes.tsx';

export function EditButton(props: {
  onClick: () => void;
  size?: ButtonProps['size'];
  /** Label for assistive technology, if a page has several such buttons. */
  label?: string;
}) {
  const { onClick, size, label } = props;
  return (
    <Changes>
      <Button
        variant="default"
        leftSection={<PencilIcon size={16} />}
        onClick={onClick}
        size={size}
        aria-label={label}
      >
        Edit
      </Button>
    </Changes>
  );
}
