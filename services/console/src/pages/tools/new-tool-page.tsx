import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { dataOf, api } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { ToolForm, type ToolDraft } from './tool-form.tsx';

const NEW: ToolDraft = { name: '', value: { http: { httpMethod: 'GET' } } };

export function Component() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const create = async ({ name, value: definition }: ToolDraft): Promise<void> => {
    const tool = await dataOf(api.POST('/api/tools', { body: { name, definition } }));
    queries.setQueryData(['tool', tool.toolId], tool);
    void queries.invalidateQueries({ queryKey: ['tools'] });
    // Waits until the form has registered the save.
    queueMicrotask(() => void navigate(`/tools/${tool.toolId}`));
  };
  return (
    <Page title="New tool" back={{ to: '/tools', label: 'Tools' }} width="narrow">
      <ToolForm
        initial={NEW}
        save={{ label: 'Create tool', onSave: create }}
        newHint="You can test it next."
      />
    </Page>
  );
}
