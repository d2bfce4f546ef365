import { Button, Card, Group, Progress, Select, Text, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { WrenchIcon } from 'lucide-react';
import { JsonView } from '../../components/copyable.tsx';
import { durationText } from '../../components/time-format.ts';
import { useNow } from '../../components/time.tsx';
import type { Invocation, ToolReply } from './client-tools.ts';
import type { TalkCall } from './talk-call.ts';

type Reaction = ToolReply['agentReaction'];

const REACTIONS: readonly { value: Reaction; label: string }[] = [
  { value: 'speaks', label: 'then speaks' },
  { value: 'listens', label: 'then listens' },
  { value: 'speaks-once', label: 'speaks once' },
];
const TICK_MS = 200;
/** Tools with a shorter timeout get a hint that users cannot answer them in time. */
const SHORT_TIMEOUT_MS = 5000;

/** A client tool call that the user of the page answers. */
export function ToolRequest({ call, invocation }: { call: TalkCall; invocation: Invocation }) {
  const { id, name, parameters, deadlineMs, timeoutMs } = invocation;
  const [result, setResult] = useState('');
  const [agentReaction, setReaction] = useState<Reaction>('speaks');
  const leftMs = Math.max(0, deadlineMs - useNow(TICK_MS));
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    call.answerTool(id, { result, agentReaction });
  };
  return (
    <Card padding="md" role="group" aria-label={`The tool ${name} needs a result`}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap={6}>
          <WrenchIcon size={16} />
          <Text fw={600}>
            <span className="mono">{name}</span> needs a result
          </Text>
        </Group>
        <Text c="dimmed" fz="sm" className="numbers">
          {durationText(leftMs)} left
        </Text>
      </Group>
      <Progress
        value={(100 * leftMs) / timeoutMs}
        size="xs"
        mb="sm"
        aria-label="Time left"
        transitionDuration={TICK_MS}
      />
      <JsonView value={parameters} maxHeight="8rem" />
      <form onSubmit={submit}>
        <Group gap="xs" mt="sm" align="flex-end">
          <TextInput
            aria-label="Result"
            placeholder="Result to send to the agent"
            value={result}
            onChange={(event) => setResult(event.currentTarget.value)}
            style={{ flex: '1 1 12rem' }}
          />
          <Select
            aria-label="The agent"
            data={[...REACTIONS]}
            value={agentReaction}
            onChange={(chosen) =>
              setReaction(REACTIONS.find(({ value }) => value === chosen)?.value ?? 'speaks')
            }
            allowDeselect={false}
            w={140}
          />
          <Button type="submit">Send</Button>
          <Button variant="default" onClick={() => call.failTool(id)}>
            Fail
          </Button>
        </Group>
      </form>
      {timeoutMs < SHORT_TIMEOUT_MS && (
        <Text c="dimmed" fz="sm" mt="xs">
          This tool waits for {durationText(timeoutMs)} only: set a longer timeout to answer it manually.
        </Text>
      )}
    </Card>
  );
}
