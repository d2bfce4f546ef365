import { ActionIcon, Button, Group, Input, SimpleGrid, Stack } from '@mantine/core';
import { PlusIcon, TrashIcon } from 'lucide-react';
import { Section } from '../../components/layout.tsx';
import { useEditor } from '../../components/editor/editor.tsx';
import classes from './agents.module.css';
import { useTemplate } from './use-template.ts';
import { ChoiceField, SecondsField, TextField, type Choice } from '../../components/editor/fields.tsx';

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
    <Section title="Time" description="How long a call may take, and what happens in silence.">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SecondsField path="maxDuration" label="Longest call" placeholder="3600 s" min={1} />
          <SecondsField
            path="joinTimeout"
            label="Wait for the client"
            placeholder="30 s"
            description="A call without a client ends after this time."
          />
        </SimpleGrid>
        <TextField
          path="timeExceededMessage"
          label="Message at time limit"
          placeholder="Our time is up. Thank you for calling."
        />
        <Input.Wrapper label="During silence, in this order" labelElement="div">
          <Stack gap="xs" mt={4}>
            {messages.map((_, index) => (
              <Group key={index} className={classes.message} gap="xs" align="flex-start">
                <SecondsField path={`inactivityMessages.${index}.duration`} label="After" min={0.1} />
                <TextField path={`inactivityMessages.${index}.message`} label="Says" />
                <ChoiceField
                  path={`inactivityMessages.${index}.endBehavior`}
                  label="Then"
                  choices={END_BEHAVIORS}
                  placeholder="Goes on"
                />
                <ActionIcon
                  mt={22}
                  size="lg"
                  aria-label={`Remove message ${index + 1}`}
                  onClick={() => set(`inactivityMessages.${index}`, undefined)}
                >
                  <TrashIcon size={17} />
                </ActionIcon>
              </Group>
            ))}
            <div>
              <Button
                variant="default"
                size="xs"
                leftSection={<PlusIcon size={15} />}
                onClick={() => set('inactivityMessages', [...messages, FIRST_MESSAGE])}
              >
                Add a message
              </Button>
            </div>
          </Stack>
        </Input.Wrapper>
      </Stack>
    </Section>
  );
}
