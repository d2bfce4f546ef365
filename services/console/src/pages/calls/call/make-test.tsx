import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { FlaskConicalIcon } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { allItems } from '../../../api/all-pages.ts';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { Changes } from '../../../components/changes.tsx';
import { AgentSelect } from '../../../components/agent-select.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { apiDurationMs } from '../../../components/time-format.ts';
import type { AgentPageState, Scenario } from '../../agents/tests/scenario.ts';

const PAGE_SIZE = 100;
const WEB_MEDIA = ['webRtc', 'serverWebSocket'];

/** Turns an ended call into a scenario, and opens it in the tests of an agent. */
export function MakeTest({ call }: { call: Schemas['Call'] }) {
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const [agentId, setAgentId] = useState(call.agentId ?? '');
  const make = useMutation({
    mutationFn: () => scenarioOfCall(call),
    onSuccess: (added) => {
      const state: AgentPageState = { added };
      void navigate(`/agents/${agentId}?tab=tests`, { state });
    },
  });
  return (
    <>
      <Changes>
        <Button
          variant="default"
          leftSection={<FlaskConicalIcon size={16} />}
          onClick={() => setIsOpen(true)}
        >
          Make a test
        </Button>
      </Changes>
      <Modal
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        closeButtonProps={{ 'aria-label': 'Close' }}
        title={<Text fw={600}>Make a test of this call</Text>}
      >
        <Stack>
          <Text c="dimmed" fz="sm">
            The simulated caller says the same words and presses the same keys as the user, and tools return
            the same results. In the tests of the agent, correct what should have happened.
          </Text>
          <AgentSelect label="Agent to test" value={agentId} onChange={setAgentId} />
          {make.error && <ErrorState error={make.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setIsOpen(false)}>
              Cancel
            </Button>
            <Button onClick={() => make.mutate()} loading={make.isPending} disabled={agentId === ''}>
              Add to its tests
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

async function scenarioOfCall({ callId, medium, endReason }: Schemas['Call']): Promise<Scenario> {
  const path = { call_id: callId };
  const ignored = (): void => undefined;
  const [{ scenarioOf }, messages, events] = await Promise.all([
    import('@calls/simulation/scenario/scenario-of-call'),
    allItems((cursor) => {
      const query = { ...cursor, mode: 'in_call', pageSize: PAGE_SIZE } as const;
      return dataOf(api.GET('/api/calls/{call_id}/messages', { params: { path, query } }));
    }, ignored),
    allItems((cursor) => {
      const query = { ...cursor, type: 'interrupted', pageSize: PAGE_SIZE } as const;
      return dataOf(api.GET('/api/calls/{call_id}/events', { params: { path, query } }));
    }, ignored),
  ]);
  return scenarioOf({
    callId,
    isPhone: !WEB_MEDIA.some((name) => name in medium),
    endReason,
    messages,
    interruptedAtMs: events.map(({ callTimestamp }) => apiDurationMs(callTimestamp)),
  });
}
