import { PasswordInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { formFaults } from '../../components/form-faults.ts';
import { FormActions, SideDrawer } from '../../components/layout.tsx';
import { ErrorState } from '../../components/states.tsx';

/** A field of a form. `list`: several texts. */
export interface SipField {
  name: string;
  label: string;
  description?: string;
  kind: 'text' | 'password' | 'list' | 'number';
  required?: boolean;
}

type Values = Readonly<Record<string, unknown>>;

interface SipFormProps {
  title: string;
  fields: readonly SipField[];
  onClose: () => void;
  /** Sends the fields that are not empty. */
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

function SipForm({ title, fields, onClose, save, onSaved }: SipFormProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [lists, setLists] = useState<Readonly<Record<string, string[]>>>({});
  const sending = useMutation({
    mutationFn: save,
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const entries = fields.flatMap(({ name, kind }): [string, unknown][] => {
      if (kind === 'list') return lists[name]?.length ? [[name, lists[name]]] : [];
      const text = texts[name]?.trim() ?? '';
      return text === '' ? [] : [[name, kind === 'number' ? Number(text) : text]];
    });
    sending.mutate(Object.fromEntries(entries));
  };
  const faults = formFaults(sending.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {fields.map(({ name, label, description, kind, required = false }, index) => {
          const common = { label, description, required, error: faults.at(name) };
          if (kind === 'list') {
            return (
              <TagsInput
                key={name}
                {...common}
                value={lists[name] ?? []}
                onChange={(value) => setLists({ ...lists, [name]: value })}
              />
            );
          }
          const Input = kind === 'password' ? PasswordInput : TextInput;
          return (
            <Input
              key={name}
              {...common}
              value={texts[name] ?? ''}
              onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
              data-autofocus={index === 0 || undefined}
            />
          );
        })}
        {sending.error && faults.all.length === 0 && <ErrorState error={sending.error} />}
        <FormActions submitLabel={title} isSending={sending.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
