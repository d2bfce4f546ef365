import { Alert, Button, Card, Group, Text, TextInput } from '@mantine/core';
import { EarIcon, MicIcon, UndoIcon } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore, type SyntheticEvent } from 'react';
import { Changes } from '../../../../components/changes.tsx';
import { ErrorState } from '../../../../components/states.tsx';
import { SupervisionLine } from './supervision-line.ts';

const HOLDERS = {
  agent: 'You hear the call. Neither side hears you.',
  us: 'You speak to the user. The agent only listens.',
  other: 'Another supervisor speaks to the user.',
} as const;

/** Lets the person at this page listen to a live call, whisper to the agent, and take the call over. */
export function SupervisePanel({ callId }: { callId: string }) {
  const [line] = useState(() => new SupervisionLine(callId));
  const state = useSyncExternalStore(line.subscribe, () => line.state);
  useEffect(() => () => line.close(), [line]);
  if (state.phase !== 'connected') {
    return (
      <Card component="section" aria-label="Supervise the call">
        <Group gap="sm">
          <Changes>
            <Button
              variant="default"
              leftSection={<EarIcon size={16} />}
              loading={state.phase === 'connecting'}
              onClick={() => void line.listen()}
            >
              Listen
            </Button>
          </Changes>
          <Text fz="sm" c="dimmed" flex="1 1 14rem">
            Listen to the live call. You can then send instructions to the agent (whisper) or take over.
          </Text>
        </Group>
        {state.phase === 'off' && state.error && <ErrorState error={state.error} />}
      </Card>
    );
  }
  const { holder, notice } = state;
  return (
    <Card component="section" aria-label="Supervise the call">
      <Group gap="sm" justify="space-between">
        <Text role="status" fz="sm" flex="1 1 14rem">
          {HOLDERS[holder]}
        </Text>
        <Group gap="xs">
          {holder === 'us' ? (
            <Button leftSection={<UndoIcon size={16} />} onClick={() => line.handBack()}>
              Hand back
            </Button>
          ) : (
            <Button
              leftSection={<MicIcon size={16} />}
              disabled={holder === 'other'}
              onClick={() => void line.takeOver()}
            >
              Take over
            </Button>
          )}
          <Button variant="default" onClick={() => line.close()}>
            Stop listening
          </Button>
        </Group>
      </Group>
      <Whisper onSend={(text) => line.whisper(text)} />
      {notice !== null && (
        <Alert mt="sm" color="yellow" role="alert">
          {notice}
        </Alert>
      )}
    </Card>
  );
}

function Whisper({ onSend }: { onSend: (text: string) => void }) {
  const [text, setText] = useState('');
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form onSubmit={send}>
      <Group gap="xs" mt="sm">
        <TextInput
          aria-label="Instruction to the agent"
          placeholder="Only the agent gets this instruction"
          value={text}
          maxLength={4000}
          onChange={(event) => setText(event.currentTarget.value)}
          flex="1 1 14rem"
        />
        <Button type="submit" variant="default" disabled={text.trim() === ''}>
          Whisper
        </Button>
      </Group>
    </form>
  );
}
