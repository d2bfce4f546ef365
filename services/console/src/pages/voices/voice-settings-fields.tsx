import { Button, Collapse, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { ChevronDownIcon, ChevronRightIcon } from 'lucide-react';
import type { VoiceField } from './voice-options.ts';
import type { VoiceValues } from './voice-values.ts';

interface FieldsProps {
  fields: readonly VoiceField[];
  values: VoiceValues;
  onChange: (path: string, value: string) => void;
  issueOf: (path: string) => string | undefined;
}

/** The settings of a vendor: the main ones, and the others on demand or if one of them is invalid. */
export function VoiceSettingsFields(props: FieldsProps) {
  const { fields, values, issueOf } = props;
  const others = fields.filter(({ isMain }) => !isMain);
  const [isOpen, setOpen] = useState(() => others.some(({ path }) => (values[path] ?? '') !== ''));
  const shown = isOpen || others.some(({ path }) => issueOf(path) !== undefined);
  const id = useId();
  return (
    <>
      {fields
        .filter(({ isMain }) => isMain)
        .map((field) => (
          <SettingField key={field.path} field={field} {...props} />
        ))}
      {others.length > 0 && (
        <div>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={shown ? <ChevronDownIcon size={15} /> : <ChevronRightIcon size={15} />}
            onClick={() => setOpen(!shown)}
            aria-expanded={shown}
            aria-controls={id}
          >
            More settings
          </Button>
          <Collapse expanded={shown} id={id}>
            <Stack gap="sm" mt="xs">
              {others.map((field) => (
                <SettingField key={field.path} field={field} {...props} />
              ))}
            </Stack>
          </Collapse>
        </div>
      )}
    </>
  );
}

const FLAG = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off' },
];
const HINTS: Readonly<Record<string, string>> = {
  list: 'Separated by commas.',
  pairs: 'One per line, as Name: value.',
  json: 'JSON. In the body for an endpoint, {text} is replaced by the text to speak.',
};

function SettingField(props: FieldsProps & { field: VoiceField }) {
  const { path, kind, label } = props.field;
  const common = { label, error: props.issueOf(path) };
  const value = props.values[path] ?? '';
  const change = (to: string): void => props.onChange(path, to);
  if (kind === 'flag' || typeof kind === 'object') {
    const data = kind === 'flag' ? FLAG : kind.options;
    return (
      <Select
        {...common}
        data={data}
        value={value || null}
        onChange={(to) => change(to ?? '')}
        placeholder="Provider's default"
        clearable
      />
    );
  }
  if (kind === 'number' || kind === 'integer') {
    return (
      <NumberInput
        {...common}
        value={value}
        onChange={(to) => change(String(to))}
        allowDecimal={kind === 'number'}
        step={kind === 'number' ? 0.1 : 1}
      />
    );
  }
  if (kind === 'pairs' || kind === 'json') {
    return (
      <Textarea
        {...common}
        description={HINTS[kind]}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
    );
  }
  return (
    <TextInput
      {...common}
      description={HINTS[kind]}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      spellCheck={false}
    />
  );
}
