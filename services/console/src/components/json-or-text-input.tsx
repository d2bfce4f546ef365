import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { jsonOrText, valueText } from './json-text.ts';

/**
 * An input for JSON or text; undefined if it is empty. Shows the typed text while it has this value, such as `12 ` on the
 * way to `12 rooms`.
 */
export function JsonOrTextInput({
  value,
  onChange,
  ...rest
}: Omit<TextInputProps, 'value' | 'onChange'> & { value: unknown; onChange: (value: unknown) => void }) {
  const [typed, setTyped] = useState(() => valueText(value));
  const isCurrent = JSON.stringify(valueOf(typed)) === JSON.stringify(value);
  return (
    <TextInput
      {...rest}
      value={isCurrent ? typed : valueText(value)}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onChange(valueOf(text));
      }}
    />
  );
}

function valueOf(text: string): unknown {
  return text === '' ? undefined : jsonOrText(text);
}
