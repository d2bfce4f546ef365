import { SimpleGrid, Stack, Textarea } from '@mantine/core';
import { useField } from '../../components/editor/editor.tsx';
import { ChoiceField, SecondsField, SwitchField, TextField } from '../../components/editor/fields.tsx';
import { Section } from '../../components/layout.tsx';

const REACTIONS = [
  { value: 'AGENT_REACTION_SPEAKS', label: 'Speaks' },
  { value: 'AGENT_REACTION_LISTENS', label: 'Listens' },
  { value: 'AGENT_REACTION_SPEAKS_ONCE', label: 'Speaks unless it has just spoken' },
];

const INTERRUPTIONS = [
  { value: 'INTERRUPTION_CONTINUE', label: 'It continues' },
  { value: 'INTERRUPTION_CANCEL', label: 'Its request is aborted' },
  { value: 'INTERRUPTION_UNDO', label: 'Another tool undoes it' },
];

export function BehaviourSection() {
  return (
    <Section title="Behaviour" description="How the call continues with the tool.">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <ChoiceField
            path="defaultReaction"
            label="After the result, the agent"
            choices={REACTIONS}
            placeholder="Speaks"
          />
          <SecondsField path="timeout" label="Timeout" placeholder="2.5 s" max={40} />
        </SimpleGrid>
        <SwitchField
          path="precomputable"
          label="Read-only"
          description="It may run before the user has finished, and again, because it changes nothing."
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <ChoiceField
            path="onInterruption"
            label="If the user interrupts while it runs"
            choices={INTERRUPTIONS}
            placeholder="It continues"
          />
          <TextField
            path="undoTool"
            label="Undone by"
            description="Name (for the model) of another tool of the agent that undoes this one."
            placeholder="cancelBooking"
          />
        </SimpleGrid>
        <StaticResponse />
        <TextField
          path="modelToolName"
          label="Name for the model"
          description="Letters, digits, _ and -. Leave empty to use the name of the tool."
        />
      </Stack>
    </Section>
  );
}

function StaticResponse() {
  const { value, set, error } = useField('staticResponse');
  const given = typeof value === 'object' && value !== null && 'responseText' in value && value.responseText;
  return (
    <Textarea
      label="Immediate result"
      description="The model sees this text at once, without waiting for the tool."
      placeholder="The order is being placed."
      autosize
      value={typeof given === 'string' ? given : ''}
      onChange={(event) => {
        const responseText = event.currentTarget.value;
        set(responseText === '' ? undefined : { responseText });
      }}
      error={error}
    />
  );
}
