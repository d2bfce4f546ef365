import { Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { SearchIcon } from 'lucide-react';

/** Pause after which typing counts as finished. */
export const SETTLED_MS = 250;

/** Calls `onChange` when typing pauses. `/` focuses it (shell/focus-search.ts), Escape clears it. */
export function SearchInput(props: { label: string; value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(props.value);
  const tell = useDebouncedCallback(props.onChange, SETTLED_MS);
  const change = (changed: string): void => {
    setText(changed);
    tell(changed.trim());
  };
  return (
    <TextInput
      type="search"
      aria-label={props.label}
      placeholder={props.label}
      value={text}
      maxLength={64}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') change('');
      }}
      leftSection={<SearchIcon size={16} />}
      rightSection={
        text === '' && (
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        )
      }
      w={{ base: '100%', sm: 260 }}
    />
  );
}
