import { MultiSelect, PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useFormIssues } from '../../components/form-issues.ts';
import { FormActions } from '../../components/layout.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { ErrorState } from '../../components/states.tsx';
import { CONFIG_KEY, storedText, type Provider, type ProviderConfig } from './providers.ts';

interface ProviderFormProps {
  provider: Provider;
  /** The stored configuration. Without one, the form creates it. */
  config: ProviderConfig | undefined;
  onClose: () => void;
}

export function ProviderFormDrawer({ opened, ...form }: ProviderFormProps & { opened: boolean }) {
  const { name } = form.provider;
  return (
    <SideDrawer
      opened={opened}
      onClose={form.onClose}
      title={form.config ? `Edit ${name}` : `Connect ${name}`}
    >
      <ProviderForm {...form} />
    </SideDrawer>
  );
}

function ProviderForm({ provider, config, onClose }: ProviderFormProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      provider.credentials.map(({ name, isSecret }) => [name, isSecret ? '' : storedText(config, name)]),
    ),
  );
  const [allowsAll, setAllowsAll] = useState(config?.callCreationAllowAllAgents ?? true);
  const [agentIds, setAgentIds] = useState<string[]>(config?.callCreationAllowedAgentIds ?? []);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (fields: Readonly<Record<string, unknown>>) =>
      answerOf(api.PATCH('/api/accounts/me/telephony_config', { body: { [provider.key]: fields } })),
    onSuccess: (saved) => {
      queries.setQueryData(CONFIG_KEY, saved);
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    // An empty field does not change the stored secret.
    const given = Object.entries(texts).filter(([, text]) => text.trim() !== '');
    save.mutate({
      ...Object.fromEntries(given.map(([name, text]) => [name, text.trim()])),
      callCreationAllowAllAgents: allowsAll,
      callCreationAllowedAgentIds: agentIds,
    });
  };
  const issues = useFormIssues(save.error);
  const issueOf = (name: string): string | undefined => issues.at(`${provider.key}.${name}`);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {provider.credentials.map(({ name, label, description, isSecret }, index) => {
          const Input = isSecret ? PasswordInput : TextInput;
          const stored = isSecret ? storedText(config, name) : '';
          return (
            <Input
              key={name}
              label={label}
              description={description}
              required={stored === ''}
              placeholder={stored === '' ? '' : `${stored} (unchanged if empty)`}
              value={texts[name] ?? ''}
              onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
              error={issueOf(name)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus={index === 0 || undefined}
            />
          );
        })}
        <Switch
          label="All agents take incoming calls"
          description="Each agent takes the calls of numbers whose webhook URL has its id."
          checked={allowsAll}
          onChange={(event) => setAllowsAll(event.currentTarget.checked)}
        />
        {!allowsAll && (
          <AllowedAgents
            value={agentIds}
            onChange={setAgentIds}
            error={issueOf('callCreationAllowedAgentIds')}
          />
        )}
        {save.error && issues.all.length === 0 && <ErrorState error={save.error} />}
        <FormActions
          submitLabel={config ? 'Save' : 'Connect'}
          isSending={save.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

const SHOWN_AGENTS = 100;

function AllowedAgents(props: {
  value: string[];
  onChange: (agentIds: string[]) => void;
  error: string | undefined;
}) {
  const agents = useQuery({
    queryKey: ['agents', 'names', 'all'],
    queryFn: () =>
      answerOf(api.GET('/api/agents', { params: { query: { sort: 'name', pageSize: SHOWN_AGENTS } } })),
  });
  const named = agents.data?.results ?? [];
  const options = named.map(({ agentId, name }) => ({ value: agentId, label: name || 'Unnamed agent' }));
  const others = props.value
    .filter((agentId) => named.every((agent) => agent.agentId !== agentId))
    .map((agentId) => ({ value: agentId, label: `Agent ${agentId.slice(-6)}` }));
  return (
    <MultiSelect
      label="Agents that take incoming calls"
      data={[...options, ...others]}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
      searchable
    />
  );
}
