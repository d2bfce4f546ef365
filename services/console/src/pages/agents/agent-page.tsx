import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'react-router';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { useLoss } from '../../components/leaving/losses.ts';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { AgentFacts } from './agent-facts.tsx';
import { AgentForm, type AgentDraft } from './agent-form.tsx';
import { editable, type Template } from './template.ts';
import { addedScenario, type Scenario } from './tests/scenario.ts';
import { MoreActions } from './workspace/more-actions.tsx';
import { useAgentChanged, VersionBar } from './workspace/version-bar.tsx';
import classes from './workspace/workspace.module.css';

/** Loaded on demand, because it contains the text comparison. */
const Versions = lazy(async () => ({
  default: (await import('./versions/versions-panel.tsx')).VersionsPanel,
}));
const Tests = lazy(async () => ({ default: (await import('./tests/tests-panel.tsx')).TestsPanel }));
/** Loaded on demand, because it contains the browser SDK. */
const TalkPanel = lazy(async () => ({ default: (await import('./workspace/talk-panel.tsx')).TalkPanel }));
const BACK = { to: '/agents', label: 'Agents' };

export function Component() {
  const { agentId = '' } = useParams();
  const agent = useQuery({
    queryKey: ['agent', agentId],
    queryFn: () => dataOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } })),
  });
  return (
    <LoadedPage title="Agent" back={BACK} query={agent}>
      {(loaded) => <Loaded key={agentId} agent={loaded} />}
    </LoadedPage>
  );
}

/** A version that the form shows. */
interface Shown {
  readonly version: Schemas['AgentRevisionBasic'];
  readonly template: Template;
}

function Loaded({ agent }: { agent: Schemas['Agent'] }) {
  const queries = useQueryClient();
  const [, setParams] = useSearchParams();
  const agentChanged = useAgentChanged();
  const [draft, setDraft] = useState<Template | null>(null);
  // The unpublished version in the form; null: the current one.
  const [shown, setShown] = useState<Shown | null>(null);
  const [added, setAdded] = useState(addedScenario(useLocation().state));
  // Changed scenarios that are not stored; null if there are none.
  const [scenarios, setScenarios] = useState<readonly Scenario[] | null>(null);
  useLoss('changes', added !== null || scenarios !== null);
  const path = { agent_id: agent.agentId };
  const template = shown?.template ?? editable(agent.callTemplate);
  const revisionId = shown?.version.revisionId ?? agent.publishedRevisionId;
  const change = async (body: Schemas['PatchedAgent']): Promise<void> =>
    agentChanged(await dataOf(api.PATCH('/api/agents/{agent_id}', { params: { path }, body })));
  const save = async ({ name, value: callTemplate }: AgentDraft): Promise<void> => {
    await change({ name, callTemplate });
    setShown(null);
  };
  const saveUnpublished = async ({ name, value: callTemplate }: AgentDraft): Promise<void> => {
    if (name !== agent.name) await change({ name });
    if (JSON.stringify(callTemplate) === JSON.stringify(template)) return;
    const version = await dataOf(
      api.POST('/api/agents/{agent_id}/revisions', { params: { path }, body: { callTemplate } }),
    );
    setShown({ version, template: editable(version.callTemplate) });
    void queries.invalidateQueries({ queryKey: ['agent', agent.agentId, 'revisions'] });
    setParams({ tab: 'tests' }, { replace: true });
  };
  const show = async (revisionId: string | null): Promise<void> => {
    if (revisionId === null) {
      setShown(null);
      return;
    }
    const params = { path: { ...path, revision_id: revisionId } };
    const version = await dataOf(api.GET('/api/agents/{agent_id}/revisions/{revision_id}', { params }));
    setShown({ version, template: editable(version.callTemplate) });
  };
  const published = (changed: Schemas['Agent']): void => {
    setShown(null);
    agentChanged(changed);
  };
  const suiteStored = (stored: readonly Scenario[]): void => {
    // The user may have changed scenarios in the meantime.
    setScenarios((current) => (current === stored ? null : current));
    setAdded(null);
    // Removes the navigation state, so that a reload does not add the scenario again.
    if (added) setParams((current) => current, { replace: true });
  };
  const name = agent.name || 'Unnamed agent';
  const saveActions = agent.testsRequired
    ? { save: { label: 'Save unpublished', onSave: saveUnpublished } }
    : {
        save: { label: 'Save and publish', onSave: save },
        otherSave: { label: 'Save unpublished', onSave: saveUnpublished },
      };
  return (
    <Page
      title={name}
      back={BACK}
      description={<AgentFacts agent={agent} />}
      actions={<MoreActions agent={agent} name={name} />}
      width="wide"
    >
      <VersionBar
        agent={agent}
        shown={shown?.version ?? null}
        hasDraft={draft !== null}
        onShow={show}
        onPublished={published}
      />
      <div className={classes.workspace}>
        <AgentForm
          initial={{ name: agent.name, value: template }}
          {...saveActions}
          onDraft={setDraft}
          tabs={[
            {
              id: 'tests',
              label: 'Tests',
              content: (hasDraft) => (
                <Suspense fallback={<Skeleton height={240} radius="lg" />}>
                  <Tests
                    agent={agent}
                    revisionId={revisionId}
                    template={template}
                    hasDraft={hasDraft}
                    added={added}
                    edited={scenarios}
                    onEdit={setScenarios}
                    onStored={suiteStored}
                  />
                </Suspense>
              ),
            },
            {
              id: 'versions',
              label: 'Versions',
              content: () => (
                <Suspense fallback={<Skeleton height={240} radius="lg" />}>
                  <Versions agent={agent} />
                </Suspense>
              ),
            },
          ]}
        />
        <aside className={classes.talk}>
          <Suspense fallback={<Skeleton height={320} radius="lg" />}>
            <TalkPanel agent={agent} draft={draft ?? shown?.template ?? null} isSaved={draft === null} />
          </Suspense>
        </aside>
      </div>
    </Page>
  );
}
