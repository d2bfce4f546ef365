import { Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTemplateEditor } from './template-editor.tsx';
import type { Template } from './template-paths.ts';

/** The whole template as JSON. Invalid JSON stays in the text field without effect. */
export function TemplateJson({ onChange }: { onChange: (template: Template) => void }) {
  const { template, faults } = useTemplateEditor();
  const [text, setText] = useState(() => JSON.stringify(template, null, 2));
  const [fault, setFault] = useState<string>();
  const change = (typed: string): void => {
    setText(typed);
    const parsed = parse(typed);
    setFault(parsed.fault);
    if (parsed.template) onChange(parsed.template);
  };
  return (
    <Stack gap="xs">
      <Textarea
        label="Template"
        description="All fields of the call template, including those that the form does not show. Secrets are never shown; omitted secrets remain unchanged."
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        autosize
        minRows={16}
        maxRows={40}
        spellCheck={false}
        error={fault}
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem', lineHeight: 1.55 },
        }}
      />
      {faults.all.map(({ path, message }) => (
        <Text key={`${path} ${message}`} fz="sm" c="var(--mantine-color-error)">
          <span className="mono">{path}</span>: {message}
        </Text>
      ))}
    </Stack>
  );
}

function parse(text: string): { template?: Template; fault?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { template: value };
    return { fault: 'A template must be an object: { … }' };
  } catch (thrown) {
    return { fault: `Not valid JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}
