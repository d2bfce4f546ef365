import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

/** An input for a number, or none. Shows the typed text while it has this value, such as `0.` on the way to `0.5`. */
export function DecimalInput({
  value,
  onChange,
  ...rest
}: Omit<NumberInputProps, 'value' | 'onChange'> & {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  const [typed, setTyped] = useState<number | string>(value ?? '');
  return (
    <NumberInput
      {...rest}
      value={numberOf(typed) === value ? typed : (value ?? '')}
      onChange={(changed) => {
        setTyped(changed);
        onChange(numberOf(changed));
      }}
    />
  );
}

/** Undefined for an empty text, and for one that is no number yet: `-`. */
function numberOf(typed: number | string): number | undefined {
  const value = typed === '' ? Number.NaN : Number(typed);
  return Number.isNaN(value) ? undefined : value;
}
