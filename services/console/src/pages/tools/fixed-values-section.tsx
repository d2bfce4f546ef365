import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useField } from '../../components/editor/editor.tsx';
import { ChoiceField, TextField } from '../../components/editor/fields.tsx';
import { JsonOrTextInput } from '../../components/json-or-text-input.tsx';
import { Section } from '../../components/layout.tsx';
import { LocationSelect } from './location-select.tsx';
import { Rows } from './rows-section.tsx';

type StaticParameter = Schemas['StaticParameter'];
type AutomaticParameter = Schemas['AutomaticParameter'];

const KNOWN_VALUES = [
  { value: 'KNOWN_PARAM_CALL_ID', label: 'Call id' },
  { value: 'KNOWN_PARAM_CALL_METADATA', label: 'Metadata of the call' },
  { value: 'KNOWN_PARAM_CALL_STATE', label: 'State of the call' },
  { value: 'KNOWN_PARAM_CALL_STAGE_ID', label: 'Stage id' },
  { value: 'KNOWN_PARAM_CONVERSATION_HISTORY', label: 'Conversation so far' },
  { value: 'KNOWN_PARAM_OUTPUT_SAMPLE_RATE', label: 'Sample rate of the agent’s audio' },
  { value: 'KNOWN_PARAM_THREAD_ID', label: 'Thread id' },
  { value: 'KNOWN_PARAM_THREAD_STATES', label: 'Thread states' },
];

export function FixedValuesSection() {
  return (
    <Section title="Fixed and automatic values" description="Values that the model neither sees nor chooses.">
      <Stack>
        <Rows<StaticParameter>
          list="staticParameters"
          what="fixed value"
          added={{ name: '', value: '' }}
          row={(_, at) => <StaticRow path={`staticParameters.${at}`} />}
        />
        <Rows<AutomaticParameter>
          list="automaticParameters"
          what="value of the call"
          added={{ name: '', knownValue: 'KNOWN_PARAM_CALL_ID' }}
          row={(_, at) => (
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <TextField path={`automaticParameters.${at}.name`} label="Name" />
              <ChoiceField
                path={`automaticParameters.${at}.knownValue`}
                label="Value"
                choices={KNOWN_VALUES}
              />
              <LocationSelect path={`automaticParameters.${at}.location`} />
            </SimpleGrid>
          )}
        />
      </Stack>
    </Section>
  );
}

function StaticRow({ path }: { path: string }) {
  const { value, set, error } = useField(`${path}.value`);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextField path={`${path}.name`} label="Name" />
        <JsonOrTextInput
          label="Value"
          value={value}
          onChange={(changed) => set(changed ?? '')}
          error={error}
        />
        <LocationSelect path={`${path}.location`} />
      </SimpleGrid>
      <Text c="dimmed" fz="xs">
        Text, or JSON such as 17, true or &quot;17&quot;.
      </Text>
    </>
  );
}
