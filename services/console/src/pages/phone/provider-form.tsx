import { Input, PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { dataOf, api } from '../../api/client.ts';
import { AgentSelect } from '../../components/agent-select.tsx';
import { useFormIssues } from '../../components/form-issues.ts';
import { FormActions } from '../../components/layout.tsx';
import { RowsOf } from '../../components/rows.tsx';
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
  const [agentIds, setAgentIds] = useState<readonly string[]>(config?.callCreationAllowedAgentIds ?? []);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (fields: Readonly<Record<string, unknown>>) =>
      dataOf(api.PATCH('/api/accounts/me/telephony_config', { body: { [provider.key]: fields } })),
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
      callCreationAllowedAgentIds: agentIds.filter((agentId) => agentId !== ''),
    });
  };
  const issues = useFormIssues(save.error);
  const issueOf = (name: string): string | undefined => issues.at(`${provider.key}.${name}`);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {provider.credentials.map(({ name, label, description, isSecret }, index) => {
          const TextOrPassword = isSecret ? PasswordInput : TextInput;
          const stored = isSecret ? storedText(config, name) : '';
          return (
            <TextOrPassword
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
          <Input.Wrapper
            label="Agents that take incoming calls"
            labelElement="div"
            error={issueOf('callCreationAllowedAgentIds')}
          >
            <RowsOf<string>
              items={agentIds}
              onChange={setAgentIds}
              what="agent"
              added=""
              row={(agentId, at) => (
                <AgentSelect
                  label={`Agent ${at + 1}`}
                  value={agentId}
                  onChange={(chosen) => setAgentIds(agentIds.with(at, chosen))}
                />
              )}
            />
          </Input.Wrapper>
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
