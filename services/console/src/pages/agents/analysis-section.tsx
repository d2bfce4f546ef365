import { Input, Stack, Switch } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useField } from '../../components/editor/editor.tsx';
import { LongTextField, TextField } from '../../components/editor/fields.tsx';
import { JsonInput } from '../../components/editor/json-input.tsx';
import { Section } from '../../components/layout.tsx';
import { RowsOf } from '../../components/rows.tsx';
import { useTemplate } from './use-template.ts';

type Settings = Schemas['AnalysisSettings'];
type Criterion = NonNullable<Settings['successCriteria']>[number];

const PATH = 'analysisSettings';
const FIRST_SCHEMA = {
  type: 'object',
  properties: { topic: { type: 'string', description: 'What the user called about, in a few words' } },
};

/** What the model extracts from the conversation after the call. */
export function AnalysisSection() {
  const { analysisSettings: settings = {} } = useTemplate();
  const whole = useField(PATH);
  const schema = useField(`${PATH}.dataSchema`);
  const { successCriteria = [], dataSchema } = settings;
  // The API requires success criteria or a data schema.
  const change = ({ successCriteria: list = [], dataSchema: data }: Settings): void =>
    whole.set(
      list.length === 0 && !data
        ? undefined
        : { ...(list.length > 0 && { successCriteria: list }), ...(data && { dataSchema: data }) },
    );
  return (
    <Section
      title="Analysis"
      description="What the model extracts from the conversation after the call. The embedded model cannot do this."
    >
      <Stack>
        <Input.Wrapper label="Success criteria" labelElement="div">
          <RowsOf<Criterion>
            items={successCriteria}
            onChange={(changed) => change({ ...settings, successCriteria: [...changed] })}
            what="criterion"
            added={{ name: '', prompt: '' }}
            row={(_, at) => (
              <>
                <TextField path={`${PATH}.successCriteria.${at}.name`} label="Name" placeholder="booked" />
                <LongTextField
                  path={`${PATH}.successCriteria.${at}.prompt`}
                  label="Condition"
                  description="A statement that is true of a successful call."
                  placeholder="The user booked a room."
                />
              </>
            )}
          />
        </Input.Wrapper>
        <Switch
          label="Extract data"
          description="The model fills in a JSON object from the conversation."
          checked={dataSchema !== undefined}
          onChange={(event) =>
            change({ ...settings, dataSchema: event.currentTarget.checked ? FIRST_SCHEMA : undefined })
          }
        />
        {dataSchema && (
          <JsonInput
            label="JSON Schema of the data"
            description="Descriptions of the properties guide the model. Do not list a property in `required` if some calls do not have it."
            value={dataSchema}
            onChange={schema.set}
            error={schema.error}
            minRows={6}
            maxRows={24}
          />
        )}
      </Stack>
    </Section>
  );
}
