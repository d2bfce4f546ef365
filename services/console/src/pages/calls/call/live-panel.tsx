import { Button, Card, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { Changes } from '../../../components/changes.tsx';
import { CopyText } from '../../../components/copyable.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { stateOf } from '../call-labels.ts';
import { sendToCall } from '../hang-up.tsx';
import { SupervisePanel } from './supervision/supervise-panel.tsx';

type Voice = 'user' | 'agent';

/** For a live call: supervision, and a form to send a message. For a waiting call: its join URL. */
export function LivePanel({ call }: { call: Schemas['Call'] }) {
  if (stateOf(call) === 'live') {
    return (
      <>
        <SupervisePanel callId={call.callId} />
        <Composer callId={call.callId} />
      </>
    );
  }
  return (
    <Card>
      <Text>
        {call.medium.sip ? 'Not answered yet.' : 'Not joined yet.'} It ends automatically after the join
        timeout.
      </Text>
      {call.joinUrl !== null && (
        <Group gap={4} mt={4}>
          <Text fz="sm" c="dimmed">
            Its client joins at the join URL. Anyone with this URL can join.
          </Text>
          <CopyText text={call.joinUrl} label="Copy the join URL" />
        </Group>
      )}
    </Card>
  );
}

function Composer({ callId }: { callId: string }) {
  const [text, setText] = useState('');
  const [voice, setVoice] = useState<Voice>('user');
  const sending = useMutation({
    mutationFn: (words: string) =>
      sendToCall(
        callId,
        voice === 'user'
          ? { type: 'user_text_message', text: words, urgency: 'soon' }
          : { type: 'forced_agent_message', content: words, urgency: 'soon' },
      ),
    onSuccess: () => setText(''),
  });
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() !== '' && !sending.isPending) sending.mutate(text.trim());
  };
  return (
    <Card component="section" aria-label="Send a message to the call">
      <form onSubmit={send}>
        <Changes>
          <Group gap="xs" align="flex-start">
            <SegmentedControl
              aria-label="Send as"
              data={[
                { value: 'user', label: 'As the user' },
                { value: 'agent', label: 'As the agent' },
              ]}
              value={voice}
              onChange={(value) => setVoice(value)}
            />
            <TextInput
              aria-label={voice === 'user' ? 'Message to the agent' : 'Text that the agent says'}
              placeholder={
                voice === 'user' ? 'Message to the agent' : 'Text that the agent says, word for word'
              }
              value={text}
              maxLength={4096}
              onChange={(event) => setText(event.currentTarget.value)}
              flex="1 1 14rem"
            />
            <Button type="submit" loading={sending.isPending} disabled={text.trim() === ''}>
              Send
            </Button>
          </Group>
        </Changes>
      </form>
      {sending.error && (
        <div style={{ marginTop: '0.75rem' }}>
          <ErrorState error={sending.error} />
        </div>
      )}
    </Card>
  );
}
