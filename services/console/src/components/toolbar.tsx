import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** Search and filters above a table. */
export function Toolbar({ children }: { children: ReactNode }) {
  return (
    <Group mb="md" gap="sm" align="flex-end">
      {children}
    </Group>
  );
}
