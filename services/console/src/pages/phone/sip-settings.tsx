import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, api, asProblem, type Schemas } from '../../api/client.ts';
import { Changes } from '../../components/changes.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { FieldsFormDrawer, type FormField } from '../../components/fields-form.tsx';
import { ErrorState } from '../../components/states.tsx';
import { AgentRows } from './agent-rows.tsx';

const QUERY_KEY = ['sip', 'settings'];
const HANDLER = 'fallbackHandler.url';

const FIELDS: readonly FormField[] = [
  {
    name: 'allowedCidrRanges',
    label: 'Allowed addresses',
    description: 'IPv4 ranges, such as 203.0.113.0/24. If empty, only trunks and registrations can call.',
    kind: 'list',
  },
  {
    name: 'allowAllAgents',
    label: 'All agents take calls',
    description: 'Callers dial the id of the agent, with or without the prefix agent_.',
    kind: 'switch',
  },
  { name: 'allowedAgents', label: 'Agents by called number or user', kind: AgentRows },
  {
    name: HANDLER,
    label: 'Fallback handler',
    description: 'URL of a web service that decides how to handle all other calls.',
    kind: 'text',
  },
];

/** Who may call the SIP domain of the account, and which agents accept the calls. */
export function SipSettings() {
  const [isEditing, setEditing] = useState(false);
  const [secrets, setSecrets] = useState<readonly string[]>([]);
  const queries = useQueryClient();
  const settings = useQuery({ queryKey: QUERY_KEY, queryFn: () => dataOf(api.GET('/api/sip')) });
  // Accounts without the feature have no SIP.
  if (settings.error && asProblem(settings.error).status === 403) return null;
  const save = async ({ [HANDLER]: url, ...others }: Readonly<Record<string, unknown>>): Promise<void> => {
    const body = { ...others, fallbackHandler: url === null ? null : { url } };
    const saved = await dataOf(api.PATCH('/api/sip', { body: body as Schemas['PatchedSipConfig'] }));
    setSecrets(saved.fallbackHandler?.secrets ?? []);
  };
  const { data } = settings;
  return (
    <Section
      title="SIP calls"
      description="Who may call the SIP domain of the account, and which agents take the calls."
      actions={
        data && (
          <Changes>
            <Button size="xs" variant="default" aria-label="Edit SIP calls" onClick={() => setEditing(true)}>
              Edit
            </Button>
          </Changes>
        )
      }
    >
      {data ? (
        <Stack gap="sm">
          <Facts
            facts={[
              ['Domain', <Copyable text={data.domain} what="SIP domain" />],
              ['Addresses', listed(data.allowedCidrRanges ?? [], 'Only trunks and registrations')],
              ['Agents', agentsText(data)],
              ['Fallback handler', data.fallbackHandler?.url ?? 'None'],
            ]}
          />
          {secrets.length > 0 && (
            <Alert color="yellow" title="The secret that signs requests to the handler is shown only now">
              {secrets.map((secret) => (
                <Copyable key={secret} text={secret} what="signing secret" />
              ))}
            </Alert>
          )}
        </Stack>
      ) : settings.error ? (
        <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      ) : (
        <Skeleton height={60} radius="lg" />
      )}
      {data && (
        <FieldsFormDrawer
          opened={isEditing}
          onClose={() => setEditing(false)}
          title="Edit SIP calls"
          fields={FIELDS}
          initial={{ ...data, [HANDLER]: data.fallbackHandler?.url }}
          save={save}
          onSaved={() => void queries.invalidateQueries({ queryKey: QUERY_KEY })}
        />
      )}
    </Section>
  );
}

function listed(texts: readonly string[], none: string): string {
  return texts.length === 0 ? none : texts.join(', ');
}

function agentsText({ allowAllAgents, allowedAgents }: Schemas['SipConfig']): string {
  const count = allowedAgents.length;
  const some = `${count} by called number or user`;
  if (allowAllAgents === true) return count === 0 ? 'All agents' : `All agents, ${some}`;
  return count === 0 ? 'No agent' : some;
}
