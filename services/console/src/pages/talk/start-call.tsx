import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import type { SyntheticEvent, ReactNode } from 'react';
import { TriangleAlertIcon, PencilIcon, InfoIcon, MicIcon } from 'lucide-react';
import { MicrophoneSelect } from './device-selects.tsx';
import type { TalkCall } from './talk-call.ts';
import type { TalkProblem } from './talk-problem.ts';
import type { TalkState } from './talk-state.ts';
import { Changes } from '../../components/changes.tsx';

/** The options of a call besides its agent. */
export interface StartChoices {
  /** '': the default microphone. */
  readonly microphoneId: string;
  readonly setMicrophoneId: (deviceId: string) => void;
  /** Null if the agent stores no content, so that its calls cannot be recorded. */
  readonly isRecorded: boolean | null;
  readonly setRecorded: (isRecorded: boolean) => void;
}

/** The form that starts a call: `children`, the microphone, the recording, and buttons. */
export function StartCall(props: {
  choices: StartChoices;
  call: TalkCall;
  state: TalkState;
  /** Whether the user has chosen everything that is required. */
  isComplete: boolean;
  onStart: (isText: boolean) => void;
  children: ReactNode;
}) {
  const { choices, call, state, isComplete, onStart } = props;
  const isStarting = state.phase === 'starting';
  // Microphones are only available to pages on https: and localhost.
  const canSpeak = 'mediaDevices' in navigator;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isComplete && !isStarting) onStart(!canSpeak);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        {props.children}
        {canSpeak ? (
          <MicrophoneSelect
            value={choices.microphoneId}
            onChange={choices.setMicrophoneId}
            disabled={isStarting}
          />
        ) : (
          <Alert color="yellow" icon={<InfoIcon />} title="Text only on this page">
            Microphones are only available to pages on https: and localhost. Open the console over https to
            speak.
          </Alert>
        )}
        <Switch
          label="Record the call"
          description={
            choices.isRecorded === null
              ? 'The agent has zero retention: nothing of its calls is stored.'
              : 'The recording and its waveform are on the page of the call.'
          }
          checked={choices.isRecorded ?? false}
          onChange={(event) => choices.setRecorded(event.currentTarget.checked)}
          disabled={isStarting || choices.isRecorded === null}
        />
        {state.problem && <ProblemAlert problem={state.problem} />}
        <Group gap="sm">
          {canSpeak && (
            <Changes>
              <Button
                type="submit"
                size="md"
                leftSection={<MicIcon />}
                loading={isStarting && state.hasMicrophone}
                disabled={!isComplete || isStarting}
              >
                Start talking
              </Button>
            </Changes>
          )}
          <Changes>
            <Button
              size="md"
              variant={canSpeak ? 'default' : 'filled'}
              type={canSpeak ? 'button' : 'submit'}
              leftSection={<PencilIcon />}
              loading={isStarting && !state.hasMicrophone}
              disabled={!isComplete || isStarting}
              {...(canSpeak && { onClick: () => onStart(true) })}
            >
              Text only
            </Button>
          </Changes>
          {isStarting && (
            <Button size="md" variant="subtle" color="gray" onClick={() => void call.leave()}>
              Cancel
            </Button>
          )}
          <Text c="dimmed" fz="sm" role="status">
            {isStarting ? startingText(state) : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

function ProblemAlert({ problem }: { problem: TalkProblem }) {
  return (
    <Alert color="red" icon={<TriangleAlertIcon />} title={problem.title} role="alert">
      {problem.detail}
    </Alert>
  );
}

function startingText({ callId, hasMicrophone }: TalkState): string {
  if (callId !== null) return 'Connecting…';
  return hasMicrophone ? 'The browser may ask for the microphone now.' : 'Creating the call…';
}
