import { ActionIcon, Menu, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { EllipsisIcon, MicIcon, PhoneIcon, TrashIcon } from 'lucide-react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { AgentFacts } from './agent-facts.tsx';
import { AgentForm, type AgentDraft } from './agent-form.tsx';
import { editable, type Template } from './template.ts';
import classes from './workspace/workspace.module.css';

/** Loaded on demand, because it contains the text comparison. */
const Versions = lazy(async () => ({
  default: (await import('./versions/versions-panel.tsx')).VersionsPanel,
}));
const Tests = lazy(async () => ({ default: (await import('./tests/tests-panel.tsx')).TestsPanel }));
/** It contains the browser SDK. */
const TalkPanel = lazy(async () => ({ default: (await import('./workspace/talk-panel.tsx')).TalkPanel }));
const BACK = { to: '/agents', label: 'Agents' };

export function Component() {
  const { agentId = '' } = useParams();
  const agent = useQuery({
    queryKey: ['agent', agentId],
    queryFn: () => answerOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } })),
  });
  return (
    <LoadedPage title="Agent" back={BACK} query={agent}>
      {(loaded) => <Loaded key={agentId} agent={loaded} />}
    </LoadedPage>
  );
}

function Loaded({ agent }: { agent: Schemas['Agent'] }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Template | null>(null);
  const path = { agent_id: agent.agentId };
  const save = async ({ name, value: callTemplate }: AgentDraft): Promise<void> => {
    const saved = await answerOf(
      api.PATCH('/api/agents/{agent_id}', { params: { path }, body: { name, callTemplate } }),
    );
    queries.setQueryData(['agent', agent.agentId], saved);
    void queries.invalidateQueries({ queryKey: ['agents'] });
    void queries.invalidateQueries({ queryKey: ['agent', agent.agentId, 'revisions'] });
  };
  const name = agent.name || 'Unnamed agent';
  return (
    <Page
      title={name}
      back={BACK}
      description={<AgentFacts agent={agent} />}
      actions={<MoreActions agent={agent} name={name} />}
      width="wide"
    >
      <div className={classes.workspace}>
        <AgentForm
          // Resets the form when a new version was saved, here or elsewhere.
          key={agent.publishedRevisionId}
          initial={{ name: agent.name, value: editable(agent.callTemplate) }}
          saveLabel="Save"
          onSave={save}
          onDraft={setDraft}
          tabs={[
            {
              id: 'tests',
              label: 'Tests',
              content: (hasDraft) => (
                <Suspense fallback={<Skeleton height={240} radius="lg" />}>
                  <Tests agent={agent} hasDraft={hasDraft} />
                </Suspense>
              ),
            },
            {
              id: 'versions',
              label: 'Versions',
              content: (hasDraft) => (
                <Suspense fallback={<Skeleton height={240} radius="lg" />}>
                  <Versions agentId={agent.agentId} hasDraft={hasDraft} />
                </Suspense>
              ),
            },
          ]}
        />
        <aside className={classes.talk}>
          <Suspense fallback={<Skeleton height={320} radius="lg" />}>
            <TalkPanel agent={agent} draft={draft} />
          </Suspense>
        </aside>
      </div>
    </Page>
  );
}

function MoreActions({ agent, name }: { agent: Schemas['Agent']; name: string }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const path = { agent_id: agent.agentId };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <EllipsisIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to={`/talk/${agent.agentId}`} leftSection={<MicIcon size={16} />}>
            Talk on a page of its own
          </Menu.Item>
          <Menu.Item
            component={Link}
            to={`/calls?agentId=${agent.agentId}`}
            leftSection={<PhoneIcon size={16} />}
          >
            Its calls
          </Menu.Item>
          <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setIsDeleting(true)}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={isDeleting}
        onClose={() => setIsDeleting(false)}
        title={`Delete ${name}?`}
        confirmLabel="Delete agent"
        onConfirm={() => answerOf(api.DELETE('/api/agents/{agent_id}', { params: { path } }))}
        onDone={() => {
          queries.removeQueries({ queryKey: ['agent', agent.agentId] });
          void queries.invalidateQueries({ queryKey: ['agents'] });
          void navigate('/agents');
        }}
      >
        New calls of this agent can no longer be created. Existing calls are retained, and live ones continue.
      </ConfirmDialog>
    </>
  );
}
