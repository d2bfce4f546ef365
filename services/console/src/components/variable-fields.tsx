import { Stack, Text, TextInput } from '@mantine/core';
import type { FormIssues } from './form-issues.ts';

/** A named value that is entered as text. */
export interface Variable {
  /** Dotted path: `guest.name`. */
  readonly path: string;
  readonly isRequired: boolean;
  /** Whether its value is text. Otherwise it is JSON. */
  readonly isText: boolean;
  readonly description?: string;
  /** Value that is used until the user enters one. */
  readonly example?: string;
}

export function VariableFields(props: {
  legend: string;
  variables: readonly Variable[];
  values: Readonly<Record<string, string>>;
  onChange: (path: string, value: string) => void;
  issues: FormIssues;
  /** Path of the values in requests: `templateContext`. */
  root: string;
  disabled?: boolean;
}) {
  const { legend, variables, values, onChange, issues, root, disabled = false } = props;
  if (variables.length === 0) return null;
  return (
    <Stack gap="sm" component="fieldset" m={0} p={0} bd={0}>
      <Text component="legend" fw={550} mb={2}>
        {legend}
      </Text>
      {variables.map(({ path, isRequired, isText, description }) => (
        <TextInput
          key={path}
          label={<span className="mono">{path}</span>}
          description={description}
          required={isRequired}
          placeholder={isText ? '' : 'JSON'}
          value={values[path] ?? ''}
          onChange={(event) => onChange(path, event.currentTarget.value)}
          error={issues.at(`${root}.${path}`)}
          disabled={disabled}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
    </Stack>
  );
}
