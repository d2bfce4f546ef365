import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEditor } from './editor.tsx';
import { JsonInput } from './json-input.tsx';

/** The whole value as JSON. */
export function EditorJson(props: { label: string; description: ReactNode }) {
  const { value, replace, issues } = useEditor();
  return (
    <Stack gap="xs">
      <JsonInput {...props} value={value} onChange={replace} minRows={16} maxRows={40} />
      {issues.all.map(({ path, message }) => (
        <Text key={`${path} ${message}`} fz="sm" c="var(--mantine-color-error)">
          <span className="mono">{path}</span>: {message}
        </Text>
      ))}
    </Stack>
  );
}
