import { Checkbox, Input, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { AgentSelect } from '../../components/agent-select.tsx';
import { useFormIssues } from '../../components/form-issues.ts';
import { FormActions } from '../../components/layout.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { ErrorState } from '../../components/states.tsx';

type WebhookEvent = Schemas['Webhook']['events'][number];

const WEBHOOK_EVENTS: readonly { event: WebhookEvent; meaning: string }[] = [
  { event: 'call.started', meaning: 'It was created.' },
  { event: 'call.joined', meaning: 'A client has connected.' },
  { event: 'call.ended', meaning: 'It ended, or was not joined in time.' },
  { event: 'call.billed', meaning: 'Its costs are final.' },
  { event: 'call.analyzed', meaning: 'Its analysis is done, or has failed.' },
];

type Webhook = Schemas['Webhook'];

interface WebhookFormProps {
  /** The webhook to change. Without it, the form adds a webhook. */
  webhook?: Webhook;
  onClose: () => void;
  onSaved?: (webhook: Schemas['CreatedWebhook']) => void;
}

export function WebhookFormDrawer({ opened, ...form }: WebhookFormProps & { opened: boolean }) {
  return (
    <SideDrawer opened={opened} onClose={form.onClose} title={form.webhook ? 'Edit webhook' : 'Add webhook'}>
      <WebhookForm {...form} />
    </SideDrawer>
  );
}

function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [agentId, setAgentId] = useState(webhook?.agentId ?? '');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? ['call.ended']);
  const [secrets, setSecrets] = useState('');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: Schemas['WebhookRequest']) =>
      dataOf(
        webhook
          ? api.PATCH('/api/webhooks/{webhook_id}', {
              params: { path: { webhook_id: webhook.webhookId } },
              body,
            })
          : api.POST('/api/webhooks', { body }),
      ),
    onSuccess: (saved) => {
      queries.setQueryData(['webhook', saved.webhookId], saved);
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      onClose();
      onSaved?.(saved);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const given = linesOf(secrets);
    save.mutate({
      url: url.trim(),
      agentId: agentId || null,
      events: [...events],
      ...(given.length > 0 && { secrets: given }),
    });
  };
  const issues = useFormIssues(save.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="URL"
          type="url"
          required
          maxLength={200}
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={issues.at('url')}
          spellCheck={false}
          data-autofocus
        />
        <Input.Wrapper
          label="Calls"
          description="Calls of one agent, or all calls of the account."
          error={issues.at('agentId')}
        >
          <AgentSelect label="All calls" value={agentId} onChange={setAgentId} />
        </Input.Wrapper>
        <Checkbox.Group
          label="Events"
          required
          value={[...events]}
          onChange={(chosen) =>
            setEvents(WEBHOOK_EVENTS.map(({ event }) => event).filter((one) => chosen.includes(one)))
          }
          error={issues.at('events')}
        >
          <Stack gap="xs" mt={6}>
            {WEBHOOK_EVENTS.map(({ event, meaning }) => (
              <Checkbox
                key={event}
                value={event}
                label={<span className="mono">{event}</span>}
                description={meaning}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Textarea
          label="Secrets"
          description={
            webhook
              ? 'One per line, 16 to 120 characters. Leave empty to keep the stored secrets.'
              : 'One per line, 16 to 120 characters; each secret signs every delivery. If empty, a secret is generated and shown once.'
          }
          autosize
          minRows={2}
          maxRows={10}
          value={secrets}
          onChange={(event) => setSecrets(event.currentTarget.value)}
          error={issues.at('secrets')}
          autoComplete="off"
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        {save.error && issues.all.length === 0 && <ErrorState error={save.error} />}
        <FormActions
          submitLabel={webhook ? 'Save' : 'Add webhook'}
          isSending={save.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
