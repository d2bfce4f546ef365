import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { answerOf, api } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { AgentForm, type AgentDraft } from './agent-form.tsx';

const NOTHING: AgentDraft = { name: '', value: {} };

export function Component() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const create = async ({ name, value: callTemplate }: AgentDraft): Promise<void> => {
    const agent = await answerOf(api.POST('/api/agents', { body: { name, callTemplate } }));
    queries.setQueryData(['agent', agent.agentId], agent);
    void queries.invalidateQueries({ queryKey: ['agents'] });
    // After the form has registered the save.
    queueMicrotask(() => void navigate(`/agents/${agent.agentId}`));
  };
  return (
    <Page title="New agent" back={{ to: '/agents', label: 'Agents' }} width="narrow">
      <AgentForm
        initial={NOTHING}
        save={{ label: 'Create agent', onSave: create }}
        newHint="Only the name is required."
      />
    </Page>
  );
}
