import { TextInput } from '@mantine/core';
import { useSettledText } from './search-input.tsx';

/** Years that are typed key by key begin with zeros. */
const FIRST_DAY = '1000-01-01';

/** An input for a day, `2026-11-21`, whose value is in the address. */
export function DayInput(props: {
  label: string;
  value: string;
  onChange: (day: string) => void;
  min?: string;
  max?: string;
  required?: boolean;
}) {
  const { label, value, onChange, ...rest } = props;
  const { text, setText, report } = useSettledText(value, onChange);
  return (
    <TextInput
      {...rest}
      type="date"
      aria-label={label}
      value={text}
      onChange={({ currentTarget: { value: day } }) => {
        setText(day);
        if (day >= FIRST_DAY || (day === '' && !rest.required)) report(day);
      }}
    />
  );
}
