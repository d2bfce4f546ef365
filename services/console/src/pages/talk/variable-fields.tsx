import { Stack, Text, TextInput } from '@mantine/core';
import type { FormFaults } from '../../components/form-faults.ts';
import type { TemplateVariable } from './template-variables.ts';

/** The values of an agent's variables for one call. */
export function VariableFields(props: {
  variables: readonly TemplateVariable[];
  values: Readonly<Record<string, string>>;
  onChange: (path: string, value: string) => void;
  faults: FormFaults;
  disabled?: boolean;
}) {
  const { variables, values, onChange, faults, disabled = false } = props;
  if (variables.length === 0) return null;
  return (
    <Stack gap="sm" component="fieldset" m={0} p={0} bd={0}>
      <Text component="legend" fw={550} mb={2}>
        What this call is about
      </Text>
      {variables.map(({ path, isRequired, isText }) => (
        <TextInput
          key={path}
          label={<span className="mono">{path}</span>}
          required={isRequired}
          placeholder={isText ? '' : 'JSON'}
          value={values[path] ?? ''}
          onChange={(event) => onChange(path, event.currentTarget.value)}
          error={faults.at(`templateContext.${path}`)}
          disabled={disabled}
        />
      ))}
    </Stack>
  );
}
