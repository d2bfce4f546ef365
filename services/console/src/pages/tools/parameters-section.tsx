import { Checkbox, Select, SimpleGrid, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { JsonInput } from '../../components/editor/json-input.tsx';
import { useField } from '../../components/editor/editor.tsx';
import { RowsSection } from './rows-section.tsx';
import { LocationSelect } from './location-select.tsx';

type Parameter = Schemas['DynamicParameter'];
type Schema = NonNullable<Parameter['schema']>;

const LIST = 'dynamicParameters';
const TYPES = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'integer', label: 'Whole number' },
  { value: 'boolean', label: 'Yes or no' },
];
/** Any other schema. */
const OTHER = { value: 'other', label: 'JSON Schema' };

export function ParametersSection() {
  return (
    <RowsSection<Parameter>
      title="Parameters"
      description="Values that the model chooses."
      list={LIST}
      what="parameter"
      added={{ name: '', schema: { type: 'string' }, required: true }}
      row={(parameter, at) => <ParameterRow parameter={parameter} at={at} />}
    />
  );
}

function ParameterRow({ parameter, at }: { parameter: Parameter; at: number }) {
  const path = `${LIST}.${at}`;
  const { set } = useField(path);
  const name = useField(`${path}.name`);
  const { error: schemaError } = useField(`${path}.schema`);
  const { schema = {}, required = false } = parameter;
  const type = typeOf(schema);
  const change = (changed: Partial<Parameter>): void => set({ ...parameter, ...changed });
  const choose = (chosen: string | null): void => {
    const { description } = schema;
    const described = typeof description === 'string' ? { description } : {};
    if (chosen === OTHER.value)
      change({ schema: { type: 'array', items: { type: 'string' }, ...described } });
    else if (chosen !== null) change({ schema: { type: chosen, ...described } });
  };
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label="Name"
          value={parameter.name}
          maxLength={256}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={name.error}
          spellCheck={false}
        />
        <Select label="Type" data={[...TYPES, OTHER]} value={type} onChange={choose} allowDeselect={false} />
        <LocationSelect path={`${path}.location`} />
      </SimpleGrid>
      {type === OTHER.value ? (
        <JsonInput
          label="JSON Schema"
          value={schema}
          onChange={(changed) => change({ schema: { ...changed } })}
          error={schemaError}
          minRows={3}
          maxRows={16}
        />
      ) : (
        <TextInput
          label="Description"
          description="For the model."
          value={typeof schema.description === 'string' ? schema.description : ''}
          onChange={(event) => {
            const { description: _description, ...rest } = schema;
            const description = event.currentTarget.value;
            change({ schema: { ...rest, ...(description !== '' && { description }) } });
          }}
          error={schemaError}
        />
      )}
      <Checkbox
        label="Required"
        checked={required}
        onChange={(event) => change({ required: event.currentTarget.checked })}
      />
    </>
  );
}

/** The type of a schema that the form can show in full; otherwise `other`. */
function typeOf(schema: Schema): string {
  const { type, description: _description, ...rest } = schema;
  const isSimple = Object.keys(rest).length === 0 && TYPES.some(({ value }) => value === type);
  return isSimple && typeof type === 'string' ? type : OTHER.value;
}
