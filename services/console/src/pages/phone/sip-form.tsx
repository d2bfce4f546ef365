import { Button, Group, PasswordInput, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { AgentSelect } from '../../components/agent-select.tsx';
import { formFaults } from '../../components/form-faults.ts';
import { FormActions, SideDrawer } from '../../components/layout.tsx';
import { ErrorState } from '../../components/states.tsx';

/** A field of a form. `list`: several texts. `agents`: agents with patterns. */
export interface SipField {
  name: string;
  label: string;
  description?: string;
  kind: 'text' | 'password' | 'list' | 'number' | 'switch' | 'agents';
  required?: boolean;
  /** Suggestions for a list. */
  options?: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

interface SipFormProps {
  title: string;
  fields: readonly SipField[];
  /** The values of the item to change; without them, one is added. */
  initial?: Values | null;
  onClose: () => void;
  /** Sends the fields: of a new item those that are not empty, otherwise all but empty passwords. */
  save: (values: Values) => Promise<unknown>;
  onSaved: () => void;
}

export function SipFormDrawer({ opened, ...form }: SipFormProps & { opened: boolean }) {
  return (
    <SideDrawer opened={opened} onClose={form.onClose} title={form.title}>
      <SipForm {...form} />
    </SideDrawer>
  );
}

function SipForm({ title, fields, initial = null, onClose, save, onSaved }: SipFormProps) {
  const [values, setValues] = useState<Values>(initial ?? {});
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
  const faults = formFaults(sending.error);
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
            error={faults.at(field.name)}
          />
        ))}
        {sending.error && faults.all.length === 0 && <ErrorState error={sending.error} />}
        <FormActions
          submitLabel={initial === null ? title : 'Save'}
          isSending={sending.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

/** The entry of a request; none for an empty field of a new item. An emptied text is null unless it is required. */
function sentEntry(
  { name, kind, required = false }: SipField,
  value: unknown,
  isNew: boolean,
): [string, unknown][] {
  if (kind === 'switch') return [[name, value === true]];
  if (kind === 'list' || kind === 'agents') {
    const list = Array.isArray(value) ? value : [];
    return isNew && list.length === 0 ? [] : [[name, list]];
  }
  const text = textOf(value).trim();
  if (text === '') return isNew || kind === 'password' ? [] : [[name, required ? '' : null]];
  return [[name, kind === 'number' ? Number(text) : text]];
}

interface FieldInputProps {
  field: SipField;
  isNew: boolean;
  isFirst: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | undefined;
}

function FieldInput({ field, isNew, isFirst, value, onChange, error }: FieldInputProps) {
  const { label, description, kind, required = false, options = [] } = field;
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
    return <TagsInput {...common} data={options} value={list} onChange={onChange} />;
  }
  if (kind === 'agents') {
    return <AgentRows label={label} value={value} onChange={onChange} error={error} />;
  }
  const isPassword = kind === 'password';
  const Input = isPassword ? PasswordInput : TextInput;
  return (
    <Input
      label={label}
      description={description}
      required={required && !(isPassword && !isNew)}
      placeholder={isPassword && !isNew ? 'Unchanged if empty' : ''}
      error={error}
      value={textOf(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus={isFirst || undefined}
    />
  );
}

interface AgentRow {
  agentId: string;
  toUserPattern?: string;
}

function isAgentRow(value: unknown): value is AgentRow {
  return (
    typeof value === 'object' && value !== null && 'agentId' in value && typeof value.agentId === 'string'
  );
}

/** The agents that take calls, in order, each with the numbers or users that it takes. */
function AgentRows(props: {
  label: string;
  value: unknown;
  onChange: (rows: AgentRow[]) => void;
  error: string | undefined;
}) {
  const rows = Array.isArray(props.value) ? props.value.filter(isAgentRow) : [];
  const replace = (at: number, row: AgentRow): void => props.onChange(rows.with(at, row));
  return (
    <Stack gap="xs">
      <Text fz="sm" fw={500}>
        {props.label}
      </Text>
      {rows.map(({ agentId, toUserPattern = '' }, i) => (
        <Group key={i} gap="xs" align="flex-end" wrap="nowrap">
          <AgentSelect
            label={`Agent ${i + 1}`}
            value={agentId}
            onChange={(chosen) => replace(i, { ...rows[i], agentId: chosen })}
          />
          <TextInput
            aria-label={`Called users of agent ${i + 1}`}
            placeholder="^\+4930"
            value={toUserPattern}
            onChange={(event) => {
              const pattern = event.currentTarget.value;
              replace(i, pattern === '' ? { agentId } : { agentId, toUserPattern: pattern });
            }}
          />
          <Button
            size="xs"
            variant="default"
            aria-label={`Remove agent ${i + 1}`}
            onClick={() => props.onChange(rows.toSpliced(i, 1))}
          >
            Remove
          </Button>
        </Group>
      ))}
      {props.error !== undefined && (
        <Text c="var(--mantine-color-error)" fz="xs">
          {props.error}
        </Text>
      )}
      <div>
        <Button size="xs" variant="default" onClick={() => props.onChange([...rows, { agentId: '' }])}>
          Add agent
        </Button>
      </div>
    </Stack>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
