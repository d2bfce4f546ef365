import { Input, SegmentedControl, SimpleGrid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../components/layout.tsx';
import { useField } from '../../components/editor/editor.tsx';
import { LongTextField, SecondsField, SwitchField } from '../../components/editor/fields.tsx';

type Speaker = 'default' | 'agent' | 'user';

const SPEAKERS: readonly { value: Speaker; label: string }[] = [
  { value: 'default', label: 'Agent' },
  { value: 'agent', label: 'Agent with a greeting' },
  { value: 'user', label: 'User' },
];

export function OpeningSection() {
  const { value, set, error } = useField('firstSpeakerSettings');
  const speaker = speakerOf(value);
  const choose = (chosen: string): void => {
    set(chosen === 'default' ? undefined : { [chosen]: {} });
  };
  return (
    <Section title="Opening" description="Who speaks first, and how the conversation begins.">
      <Stack>
        <Input.Wrapper label="First speaker" error={speaker === 'default' && error}>
          <div>
            <SegmentedControl
              data={[...SPEAKERS]}
              value={speaker}
              onChange={choose}
              aria-label="First speaker"
            />
          </div>
        </Input.Wrapper>
        {speaker === 'agent' && (
          <Greeting path="firstSpeakerSettings.agent" delayLabel="Delay">
            <SwitchField path="firstSpeakerSettings.agent.uninterruptible" label="Cannot be interrupted" />
          </Greeting>
        )}
        {speaker === 'user' && (
          <Greeting
            path="firstSpeakerSettings.user.fallback"
            delayLabel="Speaks anyway after"
            delayDescription="If the user stays silent."
          />
        )}
      </Stack>
    </Section>
  );
}

function Greeting(props: {
  path: string;
  delayLabel: string;
  delayDescription?: string;
  children?: ReactNode;
}) {
  const { path } = props;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <LongTextField
          path={`${path}.text`}
          label="Greeting"
          placeholder="Hotel Alpenblick, Ada speaking. How can I help you?"
        />
        <LongTextField
          path={`${path}.prompt`}
          label="Or instructions for a greeting"
          placeholder="Greet the caller by the time of day and ask for the name."
        />
      </SimpleGrid>
      <SecondsField
        path={`${path}.delay`}
        label={props.delayLabel}
        description={props.delayDescription}
        placeholder="0 s"
      />
      {props.children}
    </>
  );
}

function speakerOf(value: unknown): Speaker {
  if (typeof value !== 'object' || value === null) return 'default';
  if ('user' in value) return 'user';
  return 'agent' in value ? 'agent' : 'default';
}
