import { Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DecimalInput } from '../decimal-input.tsx';
import { useField } from './editor.tsx';

interface FieldProps {
  path: string;
  label: string;
  description?: ReactNode;
  placeholder?: string;
}

/** An empty field is unset: the service's default applies. */
export function TextField({ path, ...rest }: FieldProps) {
  const { value, set, error } = useField(path);
  return (
    <TextInput
      {...rest}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => set(event.currentTarget.value || undefined)}
      error={error}
    />
  );
}

export function LongTextField({ path, minRows = 2, ...rest }: FieldProps & { minRows?: number }) {
  const { value, set, error } = useField(path);
  return (
    <Textarea
      {...rest}
      autosize
      minRows={minRows}
      maxRows={24}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => set(event.currentTarget.value || undefined)}
      error={error}
    />
  );
}

/** A list of texts. */
export function ListField({ path, placeholder, ...rest }: FieldProps & { maxTags?: number }) {
  const { value, set, error } = useField(path);
  const list = Array.isArray(value) ? value.map(String) : [];
  return (
    <TagsInput
      {...rest}
      placeholder={list.length === 0 ? placeholder : ''}
      value={list}
      onChange={(changed) => set(changed.length > 0 ? changed : undefined)}
      acceptValueOnBlur
      error={error}
    />
  );
}

interface NumberFieldProps extends FieldProps {
  min?: number;
  max?: number;
  step?: number;
}

export function NumberField({ path, ...rest }: NumberFieldProps) {
  const { value, set, error } = useField(path);
  return (
    <DecimalInput
      {...rest}
      value={typeof value === 'number' ? value : undefined}
      onChange={set}
      error={error}
    />
  );
}

const SECONDS = /^-?\d+(?:\.\d+)?(?=s$)/u;

/** A duration of the API, `0.384s`, as a number of seconds. */
export function SecondsField({ path, ...rest }: NumberFieldProps) {
  const { value, set, error } = useField(path);
  const seconds = typeof value === 'string' ? SECONDS.exec(value)?.[0] : undefined;
  return (
    <DecimalInput
      {...rest}
      suffix=" s"
      min={rest.min ?? 0}
      decimalScale={3}
      value={seconds === undefined ? undefined : Number(seconds)}
      onChange={(changed) => set(changed === undefined ? undefined : `${changed}s`)}
      error={error}
    />
  );
}

export function SwitchField({ path, ...rest }: Omit<FieldProps, 'placeholder'>) {
  const { value, set, error } = useField(path);
  return (
    <Switch
      {...rest}
      checked={value === true}
      onChange={(event) => set(event.currentTarget.checked || undefined)}
      error={error}
    />
  );
}

export interface Choice {
  value: string;
  label: string;
}

/** The placeholder names the default. A current value that is not among `choices` stays selectable. */
export function ChoiceField({
  path,
  choices,
  searchable = false,
  onSearch,
  ...rest
}: FieldProps & { choices: readonly Choice[]; searchable?: boolean; onSearch?: (text: string) => void }) {
  const { value, set, error } = useField(path);
  const current = typeof value === 'string' ? value : null;
  const isKnown = current === null || choices.some((choice) => choice.value === current);
  return (
    <Select
      {...rest}
      data={isKnown ? [...choices] : [{ value: current, label: current }, ...choices]}
      value={current}
      onChange={(changed) => set(changed ?? undefined)}
      error={error}
      clearable
      searchable={searchable}
      onSearchChange={onSearch}
      nothingFoundMessage="Nothing found"
    />
  );
}
