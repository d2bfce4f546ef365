import { Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { SearchIcon } from 'lucide-react';

/** Pause after which typing counts as finished. */
export const SETTLED_MS = 250;

/** Calls `onChange` when typing pauses. `/` focuses it, Escape clears it. */
export function SearchInput(props: { label: string; value: string; onChange: (text: string) => void }) {
  const { text, setText, report } = useSettledText(props.value, props.onChange);
  const change = (changed: string): void => {
    setText(changed);
    report(changed.trim());
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

/**
 * The text of an input whose value is in the address. `report` calls `onChange` when typing pauses. Another value, such as
 * that of a link or of a button that clears the filters, replaces the text.
 */
export function useSettledText(value: string, onChange: (text: string) => void) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const report = useDebouncedCallback((typed: string) => {
    reported.current = typed;
    onChange(typed);
  }, SETTLED_MS);
  useEffect(() => {
    if (value === reported.current) return;
    report.cancel();
    reported.current = value;
    setText(value);
  }, [value, report]);
  return { text, setText, report };
}
