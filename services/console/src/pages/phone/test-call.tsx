import { Button, Group, Input, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { PhoneOutgoingIcon } from 'lucide-react';
import { useState, type SyntheticEvent } from 'react';
import { useNavigate } from 'react-router';
import { dataOf, api } from '../../api/client.ts';
import { Changes } from '../../components/changes.tsx';
import { AgentSelect } from '../../components/agent-select.tsx';
import { useFormIssues } from '../../components/form-issues.ts';
import { Section } from '../../components/layout.tsx';
import { ErrorState } from '../../components/states.tsx';
import { templateContext, templateVariables } from '../talk/template-variables.ts';
import { VariableFields } from '../../components/variable-fields.tsx';
import type { Provider } from './providers.ts';

/** Long enough for a person to answer the phone. */
const JOIN_TIMEOUT = '60s';

/** Makes an agent call a phone, and opens the page of the call. */
export function TestCall({ connected }: { connected: readonly Provider[] }) {
  return (
    <Section
      title="Test call"
      description="An agent calls your phone. Your provider charges for the phone call."
    >
      {connected.length === 0 ? (
        <Text c="dimmed" fz="sm">
          Connect a provider first.
        </Text>
      ) : (
        <TestCallForm connected={connected} />
      )}
    </Section>
  );
}

function TestCallForm({ connected }: { connected: readonly Provider[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const provider = connected.find(({ key }) => key === chosen) ?? connected[0];
  const [agentId, setAgentId] = useState('');
  const [to, setTo] = useState('');
  const [from, setFrom] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const agent = useQuery({
    queryKey: ['agent', agentId],
    enabled: agentId !== '',
    queryFn: () => dataOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } })),
  });
  const variables = templateVariables(agent.data?.callTemplate ?? null);
  const navigate = useNavigate();
  const call = useMutation({
    mutationFn: (key: string) =>
      dataOf(
        api.POST('/api/agents/{agent_id}/calls', {
          params: { path: { agent_id: agentId } },
          body: {
            joinTimeout: JOIN_TIMEOUT,
            templateContext: templateContext(variables, values),
            medium: { [key]: { outgoing: { to: to.trim(), from: from.trim() } } },
          },
        }),
      ),
    onSuccess: ({ callId }) => void navigate(`/calls/${callId}`),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (provider) call.mutate(provider.key);
  };
  const issues = useFormIssues(call.error);
  const issueOf = (name: string): string | undefined =>
    provider && issues.at(`medium.${provider.key}.outgoing.${name}`);
  const isShown = ['to', 'from'].some(issueOf) || issues.at('templateContext') !== undefined;
  const isComplete = agentId !== '' && to.trim() !== '' && from.trim() !== '';
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Provider"
            data={connected.map(({ key, name }) => ({ value: key, label: name }))}
            value={provider?.key ?? null}
            onChange={setChosen}
            allowDeselect={false}
          />
          <Input.Wrapper label="Agent">
            <AgentSelect label="Agent that calls" value={agentId} onChange={setAgentId} />
          </Input.Wrapper>
          <TextInput
            label="Your phone number"
            type="tel"
            placeholder="+4930123456"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
            error={issueOf('to')}
          />
          <TextInput
            label="Your number at the provider"
            description="Shown to you as the caller."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            type="tel"
            placeholder="+4930654321"
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
            error={issueOf('from')}
          />
        </SimpleGrid>
        <VariableFields
          legend="What this call is about"
          root="templateContext"
          variables={variables}
          values={values}
          onChange={(path, value) => setValues({ ...values, [path]: value })}
          issues={issues}
        />
        {call.error && !isShown && <ErrorState error={call.error} />}
        <Group justify="flex-end">
          <Changes>
            <Button
              type="submit"
              leftSection={<PhoneOutgoingIcon size={16} />}
              loading={call.isPending}
              disabled={!isComplete}
            >
              Call
            </Button>
          </Changes>
        </Group>
      </Stack>
    </form>
  );
}
