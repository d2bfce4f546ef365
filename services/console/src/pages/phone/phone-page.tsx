import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, api } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { Changes } from '../../components/changes.tsx';
import { AgentSelect } from '../../components/agent-select.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Page } from '../../components/page.tsx';
import { ErrorState } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ProviderFormDrawer } from './provider-form.tsx';
import { CONFIG_KEY, PROVIDERS, storedText, type Provider, type ProviderConfig } from './providers.ts';
import { SipRegistrations, SipTrunks } from './sip-sections.tsx';
import { SipSettings } from './sip-settings.tsx';
import { TestCall } from './test-call.tsx';

export function Component() {
  const configs = useQuery({
    queryKey: CONFIG_KEY,
    queryFn: () => dataOf(api.GET('/api/accounts/me/telephony_config')),
    refetchInterval: SLOW_REFRESH_MS,
  });
  return (
    <Page
      title="Phone"
      description="Connect a telephony provider so that agents take and make phone calls."
      width="narrow"
    >
      {configs.data ? (
        <Stack gap="lg">
          {PROVIDERS.map((provider) => (
            <ProviderSection key={provider.key} provider={provider} config={configs.data[provider.key]} />
          ))}
          <IncomingCalls />
          <SipSettings />
          <SipRegistrations />
          <SipTrunks />
          <TestCall connected={PROVIDERS.filter(({ key }) => configs.data[key])} />
        </Stack>
      ) : configs.error ? (
        <ErrorState error={configs.error} onRetry={() => void configs.refetch()} />
      ) : (
        <Skeleton height={320} radius="lg" />
      )}
    </Page>
  );
}

function ProviderSection({ provider, config }: { provider: Provider; config: ProviderConfig | undefined }) {
  const [isEditing, setEditing] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const queries = useQueryClient();
  const { key, name, credentials } = provider;
  return (
    <Section
      title={name}
      actions={
        <Group gap="xs">
          <StatusBadge tone={config ? 'good' : 'neutral'}>
            {config ? 'Configured' : 'Not configured'}
          </StatusBadge>
          <Changes>
            <Button
              size="xs"
              variant={config ? 'default' : 'filled'}
              aria-label={config ? `Edit ${name}` : `Connect ${name}`}
              onClick={() => setEditing(true)}
            >
              {config ? 'Edit' : 'Connect'}
            </Button>
          </Changes>
          {config && (
            <Changes>
              <Button
                size="xs"
                variant="default"
                c="var(--mantine-color-error)"
                aria-label={`Remove ${name}`}
                onClick={() => setRemoving(true)}
              >
                Remove
              </Button>
            </Changes>
          )}
        </Group>
      }
    >
      {config ? (
        <Facts
          facts={[
            ...credentials.map(
              (field) =>
                [field.label, <span className="mono">{storedText(config, field.name)}</span>] as const,
            ),
            ['Incoming calls', incomingText(config)] as const,
          ]}
        />
      ) : (
        <Text c="dimmed" fz="sm">
          Needs from your {name} account: {credentials.map(({ label }) => label).join(', ')}.
        </Text>
      )}
      <ProviderFormDrawer
        opened={isEditing}
        onClose={() => setEditing(false)}
        provider={provider}
        config={config}
      />
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${name}?`}
        confirmLabel={`Remove ${name}`}
        onConfirm={() => dataOf(api.PATCH('/api/accounts/me/telephony_config', { body: { [key]: null } }))}
        onDone={() => void queries.invalidateQueries({ queryKey: CONFIG_KEY })}
      >
        The stored credentials are deleted. Phone calls by {name} are rejected from then on.
      </ConfirmDialog>
    </Section>
  );
}

function incomingText({ callCreationAllowAllAgents, callCreationAllowedAgentIds }: ProviderConfig): string {
  if (callCreationAllowAllAgents === true) return 'All agents';
  const count = callCreationAllowedAgentIds?.length ?? 0;
  return count === 0 ? 'No agent' : `${count} ${count === 1 ? 'agent' : 'agents'}`;
}

const LOCAL = /^(?:localhost|127\.|\[::1\])/u;

/** Shows the webhook URL of an agent, which the user sets for a phone number at the provider. */
function IncomingCalls() {
  const [agentId, setAgentId] = useState('');
  const { origin, hostname } = globalThis.location;
  return (
    <Section
      title="Incoming calls"
      description="Set this URL as the webhook for incoming calls of a phone number at the provider. Each number can have its own agent."
    >
      <Stack gap="sm">
        <AgentSelect label="Choose an agent" value={agentId} onChange={setAgentId} />
        {agentId !== '' && (
          <Copyable text={`${origin}/api/agents/${agentId}/telephony_xml`} what="webhook URL" />
        )}
        {LOCAL.test(hostname) && (
          <Alert color="yellow" title="Providers cannot reach this address">
            Open the console at the public address of the service (PUBLIC_URL) to copy a URL that works.
          </Alert>
        )}
      </Stack>
    </Section>
  );
}
