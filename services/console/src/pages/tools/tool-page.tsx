import { Card, Stack, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { dataOf, api } from '../../api/client.ts';
import { Copyable, JsonView } from '../../components/copyable.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { ToolForm, type ToolDraft } from './tool-form.tsx';
import { ToolHistory } from './tool-history.tsx';
import { ToolTest } from './tool-test.tsx';
import { ToolUsers } from './tool-users.tsx';
import type { Tool } from './tool-labels.ts';

const BACK = { to: '/tools', label: 'Tools' };

export function Component() {
  const { toolId = '' } = useParams();
  const tool = useQuery({
    queryKey: ['tool', toolId],
    queryFn: () => dataOf(api.GET('/api/tools/{tool_id}', { params: { path: { tool_id: toolId } } })),
  });
  return (
    <LoadedPage title="Tool" back={BACK} query={tool}>
      {(loaded) =>
        loaded.ownership === 'public' ? <BuiltInTool tool={loaded} /> : <OwnTool key={toolId} tool={loaded} />
      }
    </LoadedPage>
  );
}

function BuiltInTool({ tool }: { tool: Tool }) {
  const { name, definition } = tool;
  return (
    <Page
      title={name}
      description={definition.description}
      aside={<StatusBadge tone="neutral">Built in</StatusBadge>}
      back={BACK}
    >
      <Stack gap="lg">
        <Section title="Definition">
          <JsonView value={definition} />
        </Section>
        <Stack gap="sm">
          <Title order={2}>Agents that use it</Title>
          <ToolUsers tool={tool} />
        </Stack>
        <Stack gap="sm">
          <Title order={2}>Calls with this tool</Title>
          <ToolHistory tool={tool} />
        </Stack>
      </Stack>
    </Page>
  );
}

function OwnTool({ tool }: { tool: Tool }) {
  const { toolId, name, definition, created } = tool;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const path = { tool_id: toolId };
  const save = async (draft: ToolDraft): Promise<void> => {
    const body = { name: draft.name, definition: draft.value };
    const saved = await dataOf(api.PUT('/api/tools/{tool_id}', { params: { path }, body }));
    queries.setQueryData(['tool', toolId], saved);
    void queries.invalidateQueries({ queryKey: ['tools'] });
  };
  return (
    <Page
      title={name}
      back={BACK}
      actions={
        <DeleteButton
          what="tool"
          title={`Delete ${name}?`}
          onConfirm={() => dataOf(api.DELETE('/api/tools/{tool_id}', { params: { path } }))}
          onDone={() => {
            queries.removeQueries({ queryKey: ['tool', toolId] });
            void queries.invalidateQueries({ queryKey: ['tools'] });
            void navigate('/tools');
          }}
        >
          Agents that use this tool cannot start calls until you remove it from them. Existing calls do not
          change.
        </DeleteButton>
      }
    >
      <ToolForm
        initial={{ name, value: definition }}
        save={{ label: 'Save', onSave: save }}
        aside={
          <Card padding="md" fz="sm">
            <Facts
              facts={[
                ['Tool id', <Copyable text={toolId} short what="tool id" />],
                ['Created', <RelativeTime at={created} />],
              ]}
            />
          </Card>
        }
        tabs={[
          { id: 'test', label: 'Test', content: (hasDraft) => <ToolTest tool={tool} hasDraft={hasDraft} /> },
          { id: 'history', label: 'History', content: () => <ToolHistory tool={tool} /> },
          { id: 'users', label: 'Used by', content: () => <ToolUsers tool={tool} /> },
        ]}
      />
    </Page>
  );
}
