import { PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useField } from '../../components/editor/editor.tsx';
import { LongTextField, TextField } from '../../components/editor/fields.tsx';
import { JsonOrTextInput } from '../../components/json-or-text-input.tsx';
import { tokenNames } from '../tools/tool-labels.ts';

type Definition = Schemas['BaseToolDefinition'];

/** The changes of an agent to its tool at this index. `definition`: undefined if it is not known. */
export function ToolOverrides({ at, definition }: { at: number; definition: Definition | undefined }) {
  const path = `selectedTools.${at}`;
  return (
    <Stack gap="sm" px="sm" pb="sm">
      <TextField
        path={`${path}.nameOverride`}
        label="Name for the model"
        placeholder={definition?.modelToolName ?? 'Name of the tool'}
      />
      <LongTextField
        path={`${path}.descriptionOverride`}
        label="Description for the model"
        placeholder={definition?.description ?? 'Description of the tool'}
      />
      <FixedParameters path={path} definition={definition} />
      <Tokens path={path} definition={definition} />
    </Stack>
  );
}

function FixedParameters({ path, definition }: { path: string; definition: Definition | undefined }) {
  const { value, set, error } = useField(`${path}.parameterOverrides`);
  const fixed = recordOf(value);
  const names = new Set([
    ...(definition?.dynamicParameters ?? []).map(({ name }) => name),
    ...Object.keys(fixed),
  ]);
  if (names.size === 0) return null;
  return (
    <div>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {[...names].map((name) => (
          <JsonOrTextInput
            key={name}
            label={
              <>
                Fixed <span className="mono">{name}</span>
              </>
            }
            placeholder="The model chooses"
            value={fixed[name]}
            onChange={(fixedValue) => set(changed(fixed, name, fixedValue))}
          />
        ))}
      </SimpleGrid>
      <Text c={error === undefined ? 'dimmed' : 'var(--mantine-color-error)'} fz="xs" mt={4}>
        {error ?? 'Text, or JSON such as 17 or true. Variables such as {{guest.name}} are filled in.'}
      </Text>
    </div>
  );
}

/** The console never shows them; users replace them together. */
function Tokens({ path, definition }: { path: string; definition: Definition | undefined }) {
  const { value, set, error } = useField(`${path}.authTokens`);
  const given = recordOf(value);
  const textOf = (token: unknown): string => (typeof token === 'string' ? token : '');
  const names = definition ? tokenNames(definition) : [];
  if (names.length === 0) return null;
  return (
    <div>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {names.map((name) => (
          <PasswordInput
            key={name}
            label={`Token ${name}`}
            placeholder="Unchanged if empty"
            value={textOf(given[name])}
            onChange={(event) => set(changed(given, name, event.currentTarget.value || undefined))}
            autoComplete="off"
          />
        ))}
      </SimpleGrid>
      <Text c={error === undefined ? 'dimmed' : 'var(--mantine-color-error)'} fz="xs" mt={4}>
        {error ??
          (names.length === 1
            ? 'A stored token is never shown.'
            : 'Stored tokens are never shown. To change one, enter all of them.')}
      </Text>
    </div>
  );
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the values with this one. Undefined removes the name; the result is undefined if no name is left. */
function changed(
  before: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> | undefined {
  const { [name]: _, ...others } = before;
  const next = { ...others, ...(value !== undefined && { [name]: value }) };
  return Object.keys(next).length === 0 ? undefined : next;
}
