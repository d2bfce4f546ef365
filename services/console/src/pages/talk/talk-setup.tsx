import { Alert, Button, Card, Group, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import type { SyntheticEvent } from 'react';
import { TriangleAlertIcon, PencilIcon, InfoIcon, MicIcon } from 'lucide-react';
import { formFaults } from '../../components/form-faults.ts';
import { Page } from '../../components/page.tsx';
import { MicrophoneSelect } from './device-selects.tsx';
import { PartnerFields } from './partner-fields.tsx';
import type { TalkCall } from './talk-call.ts';
import type { TalkProblem } from './talk-problem.ts';
import type { TalkState } from './talk-state.ts';
import type { TalkOrder } from './use-talk-order.ts';

const KINDS = [
  { value: 'agent', label: 'An agent' },
  { value: 'prompt', label: 'A quick prompt' },
] as const;

/** The form before a call: selects the agent and the microphone. */
export function TalkSetup(props: {
  order: TalkOrder;
  call: TalkCall;
  state: TalkState;
  onStart: (isText: boolean) => void;
}) {
  const { order, call, state, onStart } = props;
  const isStarting = state.phase === 'starting';
  // Microphones are only available to pages on https: and localhost.
  const canSpeak = 'mediaDevices' in navigator;
  const faults = formFaults(state.problem?.cause);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (order.isComplete && !isStarting) onStart(!canSpeak);
  };
  return (
    <Page
      title="Talk"
      description="Talk to an agent like its callers do. Calls from the console are free."
      width="narrow"
    >
      <form onSubmit={submit} noValidate>
        <Card padding="xl">
          <Stack gap="lg">
            <SegmentedControl
              aria-label="Agent to talk to"
              data={[...KINDS]}
              value={order.kind}
              onChange={order.setKind}
              fullWidth
              disabled={isStarting}
            />
            <PartnerFields order={order} faults={faults} disabled={isStarting} />
            {canSpeak ? (
              <MicrophoneSelect
                value={order.microphoneId}
                onChange={order.setMicrophoneId}
                disabled={isStarting}
              />
            ) : (
              <Alert color="yellow" icon={<InfoIcon />} title="Text only on this page">
                Microphones are only available to pages on https: and localhost. Open the console over https
                to speak.
              </Alert>
            )}
            <Switch
              label="Record the call"
              description={
                order.isRecorded === null
                  ? 'The agent has zero retention: nothing of its calls is stored.'
                  : 'The recording and its waveform are on the page of the call.'
              }
              checked={order.isRecorded ?? false}
              onChange={(event) => order.setRecorded(event.currentTarget.checked)}
              disabled={isStarting || order.isRecorded === null}
            />
            {state.problem && <ProblemAlert problem={state.problem} />}
            <Group gap="sm">
              {canSpeak && (
                <Button
                  type="submit"
                  size="md"
                  leftSection={<MicIcon />}
                  loading={isStarting && state.hasMicrophone}
                  disabled={!order.isComplete || isStarting}
                >
                  Start talking
                </Button>
              )}
              <Button
                size="md"
                variant={canSpeak ? 'default' : 'filled'}
                type={canSpeak ? 'button' : 'submit'}
                leftSection={<PencilIcon />}
                loading={isStarting && !state.hasMicrophone}
                disabled={!order.isComplete || isStarting}
                {...(canSpeak && { onClick: () => onStart(true) })}
              >
                Text only
              </Button>
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
        </Card>
      </form>
    </Page>
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
