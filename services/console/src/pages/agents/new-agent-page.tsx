import { Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiProblem } from '../../api/api-problem.ts';
import { dataOf, api } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { AgentForm, type AgentDraft } from './agent-form.tsx';
import type { Template } from './template.ts';
import classes from './workspace/workspace.module.css';

/** Loaded on demand, because it contains the browser SDK. */
const TalkPanel = lazy(async () => ({ default: (await import('./workspace/talk-panel.tsx')).TalkPanel }));
const NOTHING: AgentDraft = { name: '', value: {} };
/** The API accepts agents without a name, but users could not tell them apart. */
const NAME_MISSING = new ApiProblem({
  status: 400,
  code: 'validation_failed',
  detail: 'The agent needs a name.',
  issues: [{ path: 'name', message: 'is required' }],
});

export function Component() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Template | null>(null);
  const create = async ({ name, value: callTemplate }: AgentDraft): Promise<void> => {
    if (name.trim() === '') throw NAME_MISSING;
    const agent = await dataOf(api.POST('/api/agents', { body: { name, callTemplate } }));
    queries.setQueryData(['agent', agent.agentId], agent);
    void queries.invalidateQueries({ queryKey: ['agents'] });
    // Waits until the form has registered the save.
    queueMicrotask(() => void navigate(`/agents/${agent.agentId}`));
  };
  return (
    <Page title="New agent" back={{ to: '/agents', label: 'Agents' }} width="wide">
      <div className={classes.workspace}>
        <AgentForm
          initial={NOTHING}
          save={{ label: 'Create agent', onSave: create }}
          onDraft={setDraft}
          newHint="Only the name is required."
        />
        <aside className={classes.talk}>
          <Suspense fallback={<Skeleton height={320} radius="lg" />}>
            <TalkPanel agent={null} draft={draft ?? NOTHING.value} isSaved={false} />
          </Suspense>
        </aside>
      </div>
    </Page>
  );
}
