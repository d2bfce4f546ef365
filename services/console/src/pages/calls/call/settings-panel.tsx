import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { JsonView } from '../../../components/copyable.tsx';
import { Section } from '../../../components/layout.tsx';
import classes from './call.module.css';
import { settingsList } from './settings-list.ts';

/** The settings of a call in words and as JSON. */
export function SettingsPanel({ call }: { call: Schemas['Call'] }) {
  const metadata = Object.entries(call.metadata);
  return (
    <Stack>
      <Section title="Settings">
        <dl className={classes.settings}>
          {settingsList(call).map(({ name, value }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
          <ToolNames callId={call.callId} />
        </dl>
      </Section>
      {metadata.length > 0 && (
        <Section title="Metadata">
          <dl className={classes.settings}>
            {metadata.map(([key, value]) => (
              <Fragment key={key}>
                <dt className="mono">{key}</dt>
                <dd>{value}</dd>
              </Fragment>
            ))}
          </dl>
        </Section>
      )}
      {call.systemPrompt !== null && (
        <Section title="System prompt">
          <Text className={classes.summary}>{call.systemPrompt}</Text>
        </Section>
      )}
      <Section title="As returned by the API">
        <details>
          <summary>
            <Text span>
              <Code>GET /api/calls/{'{call_id}'}</Code>
            </Text>
          </summary>
          <JsonView value={call} />
        </details>
      </Section>
    </Stack>
  );
}

function ToolNames({ callId }: { callId: string }) {
  const { data: tools } = useQuery({
    queryKey: ['call', callId, 'tools'],
    queryFn: () => dataOf(api.GET('/api/calls/{call_id}/tools', { params: { path: { call_id: callId } } })),
  });
  if (!tools || tools.length === 0) return null;
  return (
    <>
      <dt>Tools</dt>
      <dd>
        <Group gap={6}>
          {tools.map(({ callToolId, name }) => (
            <Code key={callToolId}>{name}</Code>
          ))}
        </Group>
      </dd>
    </>
  );
}
