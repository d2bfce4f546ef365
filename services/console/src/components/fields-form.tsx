import { PasswordInput, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ComponentType, type SyntheticEvent } from 'react';
import { useFormIssues } from './form-issues.ts';
import { FormActions } from './layout.tsx';
import { SideDrawer } from './side-drawer.tsx';
import { ErrorState, OtherIssues } from './states.tsx';

/** A field of a form. `list`: several texts. A component renders values of any other type. */
export interface FormField {
  name: string;
  label: string;
  description?: string;
  kind: 'text' | 'longText' | 'password' | 'list' | 'number' | 'switch' | ComponentType<ValueInputProps>;
  required?: boolean;
  placeholder?: string;
  /** Suggestions for a list. */
  options?: readonly string[];
}

export interface ValueInputProps {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
  /** The issue of this field or of a part of its value. */
  error: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

interface FieldsFormProps {
  title: string;
  /** Label of the button; the title if it is absent, `Save` for changes. */
  submitLabel?: string;
  fields: readonly FormField[];
  /** The values of the item to change. Without them, the form adds an item. */
  initial?: Values | null;
  /** The values that a new item begins with. */
  defaults?: Values;
  onClose: () => void;
  /** Path of the fields in requests, if they are not at the top level. */
  root?: string;
  /** Sends the fields of the form: for a new item those that are not empty, otherwise all but empty passwords. */
  save: (values: Values) => Promise<unknown>;
  onSaved: () => void;
}

export function FieldsFormDrawer({ opened, ...form }: FieldsFormProps & { opened: boolean }) {
  return (
    <SideDrawer opened={opened} onClose={form.onClose} title={form.title}>
      <FieldsForm {...form} />
    </SideDrawer>
  );
}

function FieldsForm({ initial = null, root, ...props }: FieldsFormProps) {
  const { title, fields, onClose, save, onSaved } = props;
  const submitLabel = initial === null ? (props.submitLabel ?? title) : 'Save';
  const [values, setValues] = useState<Values>(initial ?? props.defaults ?? {});
  const sending = useMutation({
    mutationFn: save,
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const isNew = initial === null;
    sending.mutate(
      Object.fromEntries(fields.flatMap((field) => sentEntry(field, values[field.name], isNew))),
    );
  };
  const issues = useFormIssues(sending.error);
  const pathsOf = ({ name }: FormField): string[] => [
    name,
    ...(root === undefined ? [] : [`${root}.${name}`]),
  ];
  const paths = fields.flatMap(pathsOf);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {fields.map((field, index) => (
          <FieldInput
            key={field.name}
            field={field}
            isNew={initial === null}
            isFirst={index === 0}
            value={values[field.name]}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
            error={pathsOf(field)
              .map((path) => issues.at(path))
              .find((text) => text !== undefined)}
          />
        ))}
        {sending.error && issues.all.length === 0 && <ErrorState error={sending.error} />}
        <OtherIssues issues={issues.elsewhere(paths)} />
        <FormActions submitLabel={submitLabel} isSending={sending.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

/**
 * The entry of a field in a request; none for an empty field of a new item. A cleared text is null unless it is
 * required.
 */
function sentEntry(
  { name, kind, required = false }: FormField,
  value: unknown,
  isNew: boolean,
): [string, unknown][] {
  if (kind === 'switch') return [[name, value === true]];
  if (kind === 'list' || typeof kind !== 'string') {
    const given = value ?? [];
    return isNew && Array.isArray(given) && given.length === 0 ? [] : [[name, given]];
  }
  const text = textOf(value).trim();
  if (text === '') return isNew || kind === 'password' ? [] : [[name, required ? '' : null]];
  // The service rejects a text that is not a number, and the field shows why.
  return [[name, kind === 'number' && !Number.isNaN(Number(text)) ? Number(text) : text]];
}

interface FieldInputProps {
  field: FormField;
  isNew: boolean;
  isFirst: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | undefined;
}

function FieldInput({ field, isNew, isFirst, value, onChange, error }: FieldInputProps) {
  const { label, description, kind, required = false, options = [], placeholder = '' } = field;
  if (kind === 'switch') {
    return (
      <Switch
        label={label}
        description={description}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
        error={error}
      />
    );
  }
  if (kind === 'list') {
    const list = Array.isArray(value) ? value.map(String) : [];
    const common = { label, description, required, error };
    return (
      <TagsInput
        {...common}
        placeholder={list.length === 0 ? placeholder : ''}
        data={options}
        value={list}
        onChange={onChange}
        acceptValueOnBlur
      />
    );
  }
  if (typeof kind !== 'string') {
    const ValueInput = kind;
    return <ValueInput label={label} value={value} onChange={onChange} error={error} />;
  }
  if (kind === 'longText') {
    return (
      <Textarea
        label={label}
        description={description}
        placeholder={placeholder}
        required={required}
        autosize
        minRows={2}
        value={textOf(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
    );
  }
  const isPassword = kind === 'password';
  const Input = isPassword ? PasswordInput : TextInput;
  return (
    <Input
      label={label}
      description={description}
      required={required && !(isPassword && !isNew)}
      placeholder={isPassword && !isNew ? 'Unchanged if empty' : placeholder}
      error={error}
      value={textOf(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus={isFirst || undefined}
    />
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
