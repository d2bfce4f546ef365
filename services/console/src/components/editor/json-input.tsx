import { Textarea, type TextareaProps } from '@mantine/core';
import { useState } from 'react';

/**
 * A JSON object as text. Invalid JSON stays in the text field and does not change the value. Another value, such as that
 * of the next row when a row is removed, replaces the text.
 */
export function JsonInput(
  props: Omit<TextareaProps, 'value' | 'onChange'> & { value: object; onChange: (value: object) => void },
) {
  const { value, onChange, error, ...rest } = props;
  const [edited, setEdited] = useState({ text: textOf(value), value });
  const isCurrent = JSON.stringify(edited.value) === JSON.stringify(value);
  const text = isCurrent ? edited.text : textOf(value);
  const { issue } = parse(text);
  const change = (typed: string): void => {
    const parsed = parse(typed);
    setEdited({ text: typed, value: parsed.value ?? value });
    if (parsed.value) onChange(parsed.value);
  };
  return (
    <Textarea
      {...rest}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      autosize
      spellCheck={false}
      error={issue ?? error}
      styles={{
        input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem', lineHeight: 1.55 },
      }}
    />
  );
}

function textOf(value: object): string {
  return JSON.stringify(value, null, 2);
}

function parse(text: string): { value?: object; issue?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value };
    return { issue: 'It must be an object: { … }' };
  } catch (thrown) {
    return { issue: `Not valid JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}
