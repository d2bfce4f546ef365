import { Input, SimpleGrid, Stack } from '@mantine/core';
import { Section } from '../../components/layout.tsx';
import { RowsOf } from '../../components/rows.tsx';
import { useEditor } from '../../components/editor/editor.tsx';
import type { Template } from './template.ts';
import { useTemplate } from './use-template.ts';
import {
  ChoiceField,
  LongTextField,
  SecondsField,
  TextField,
  type Choice,
} from '../../components/editor/fields.tsx';

type Message = NonNullable<Template['inactivityMessages']>[number];

const END_BEHAVIORS: readonly Choice[] = [
  { value: 'END_BEHAVIOR_HANG_UP_SOFT', label: 'Hang up, unless the user speaks' },
  { value: 'END_BEHAVIOR_HANG_UP_STRICT', label: 'Hang up' },
];
const FIRST_MESSAGE = { duration: '20s', message: 'Are you still there?' };

export function TimeSection() {
  const template = useTemplate();
  const { set } = useEditor();
  const messages = template.inactivityMessages ?? [];
  return (
    <Section title="Time" description="How long a call may take, and what happens while the user is silent.">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SecondsField path="maxDuration" label="Maximum duration" placeholder="3600 s" min={1} />
          <SecondsField
            path="joinTimeout"
            label="Join timeout"
            placeholder="30 s"
            description="The call ends if no client joins within this time."
          />
        </SimpleGrid>
        <TextField
          path="timeExceededMessage"
          label="Message at time limit"
          placeholder="Our time is up. Thank you for calling."
        />
        <Input.Wrapper label="Messages while the user is silent, in this order" labelElement="div">
          <RowsOf<Message>
            items={messages}
            onChange={(changed) => set('inactivityMessages', changed)}
            what="message"
            added={FIRST_MESSAGE}
            row={(_, at) => (
              <SimpleGrid cols={{ base: 1, sm: 3 }}>
                <SecondsField path={`inactivityMessages.${at}.duration`} label="After" min={0.1} />
                <LongTextField path={`inactivityMessages.${at}.message`} label="Message" minRows={1} />
                <ChoiceField
                  path={`inactivityMessages.${at}.endBehavior`}
                  label="Then"
                  choices={END_BEHAVIORS}
                  placeholder="Continue the call"
                />
              </SimpleGrid>
            )}
          />
        </Input.Wrapper>
      </Stack>
    </Section>
  );
}
